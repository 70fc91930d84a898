/** One rule for every label on a map: the first of its places where it overlaps nothing, or none. */

/** Left, top, right, bottom. */
type Box = readonly [number, number, number, number];

export type Point = readonly [x: number, y: number];

interface Text {
  readonly text: string;
  /** Its height, in units of the map. */
  readonly size: number;
}

export interface Placed {
  /** From the point, in units of the map. */
  readonly dx: number;
  readonly dy: number;
  readonly anchor: 'start' | 'end' | 'middle';
}

/** Width of a character, as a share of the height of the text. */
const CHARACTER = 0.58;
const MARGIN = 1.5;

export class Room {
  readonly #taken: Box[] = [];
  readonly #width: number;
  readonly #height: number;
  constructor(width: number, height: number) {
    [this.#width, this.#height] = [width, height];
  }

  take(box: Box): void {
    this.#taken.push(box);
  }

  /** Whether a box is on the map and overlaps nothing. */
  isFree([left, top, right, bottom]: Box): boolean {
    return (
      left >= 0 &&
      top >= 0 &&
      right <= this.#width &&
      bottom <= this.#height &&
      !this.#taken.some(([l, t, r, b]) => left < r && right > l && top < b && bottom > t)
    );
  }

  /** The room of a text that is placed at a point. */
  boxOf({ text, size }: Text, [x, y]: Point, { dx, dy, anchor }: Placed): Box {
    const [width, height] = [text.length * size * CHARACTER, size * 1.2];
    const left = x + dx - (anchor === 'start' ? 0 : anchor === 'end' ? width : width / 2);
    return [left - MARGIN, y + dy - height / 2, left + width + MARGIN, y + dy + height / 2];
  }

  /**
   * Place a text beside a point: right of it, left, above, below; without a gap on the point itself, or a little above
   * or below it. @returns undefined if there is no room
   */
  label(text: Text, point: Point, gap: number): Placed | undefined {
    const line = text.size * 1.2;
    const places: readonly Placed[] =
      gap > 0
        ? [
            { dx: gap, dy: 0, anchor: 'start' },
            { dx: -gap, dy: 0, anchor: 'end' },
            { dx: 0, dy: -gap - line / 2, anchor: 'middle' },
            { dx: 0, dy: gap + line / 2, anchor: 'middle' },
          ]
        : [0, -1, 1, -2, 2, -4, 4].map((lines) => ({ dx: 0, dy: lines * line, anchor: 'middle' }));
    const place = places.find((one) => this.isFree(this.boxOf(text, point, one)));
    if (place) this.take(this.boxOf(text, point, place));
    return place;
  }
}
