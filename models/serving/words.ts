/**
 * The index of the words of a name, by which a search finds every name that contains a text. A word is a run of
 * characters without a space; a text of several words is in a name whose words are one after the other. The place of a
 * word is the row times a width, which no name has as many words as, plus its position in the name.
 */

/** Between words: no byte of UTF-8. */
const END = Buffer.of(0xff);
/** Bytes of the width, before the words. */
const WIDTH_BYTES = 4;
/** After the last word of a row. */
const ROW_END = -1;
/** Places that are read before a search looks at the time. */
const SLICE = 16_384;

/** Whole numbers in as many bytes of seven bits as they need. */
function varints(numbers: Iterable<number>, bytes: Buffer): Buffer {
  let at = 0;
  for (let rest of numbers) {
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
  }
  return bytes.subarray(0, at);
}
/** Most bytes of a number below 2 ** 32. */
const VARINT_BYTES = 5;

/** Collects the names of all rows. */
export class WordIndex {
  readonly #words = new Map<string, number>();
  /** The number of each word of each row. */
  #given = new Int32Array(2 ** 16);
  #length = 0;
  #longest = 0;

  /** Add the name of the next row. */
  add(name: string | null): void {
    const words = name === null ? [] : name.split(' ');
    this.#longest = Math.max(this.#longest, words.length);
    for (const word of words) {
      let number = this.#words.get(word);
      if (number === undefined) this.#words.set(word, (number = this.#words.size));
      this.#push(number);
    }
    this.#push(ROW_END);
  }

  #push(number: number): void {
    if (this.#length === this.#given.length) {
      const longer = new Int32Array(2 * this.#length);
      longer.set(this.#given);
      this.#given = longer;
    }
    this.#given[this.#length] = number;
    this.#length += 1;
  }

  /** The width and the words. */
  vocabulary(): Uint8Array {
    const words = [...this.#words.keys()];
    const length = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, WIDTH_BYTES + 1);
    const bytes = Buffer.alloc(length, END);
    let at = bytes.writeUInt32LE(this.#longest + 1) + 1;
    for (const word of words) at += bytes.write(word, at) + 1;
    return bytes;
  }

  /** Each word, as the byte in the vocabulary at which it begins, with its places. */
  *places(): Generator<readonly [word: number, places: Uint8Array]> {
    const given = this.#given.subarray(0, this.#length);
    const width = this.#longest + 1;
    /** Where the places of a word begin: after those of the words before it. */
    const next = new Uint32Array(this.#words.size + 1);
    for (const number of given) if (number !== ROW_END) next[number + 1] = (next[number + 1] ?? 0) + 1;
    for (let number = 1; number < next.length; number += 1)
      next[number] = (next[number] ?? 0) + (next[number - 1] ?? 0);
    const starts = next.slice();
    const places = new Uint32Array(starts.at(-1) ?? 0);
    let [row, position] = [0, 0];
    for (const number of given) {
      if (number === ROW_END) {
        row += 1;
        position = 0;
        continue;
      }
      const at = next[number] ?? 0;
      places[at] = row * width + position;
      next[number] = at + 1;
      position += 1;
    }
    let at = END.length;
    for (const [word, number] of this.#words) {
      const own = places.subarray(starts[number], starts[number + 1]);
      const steps = own.map((place, i) => place - (own[i - 1] ?? 0));
      yield [at, varints(steps, Buffer.alloc(own.length * VARINT_BYTES))];
      at += Buffer.byteLength(word) + END.length;
    }
  }
}

/** Lets other requests go on, if it is time. */
type Pause = () => Promise<void>;

/** The index, open for searches. */
export class Words {
  readonly #width: number;
  readonly #text: Buffer;
  readonly #placesOf: (word: number) => Uint8Array<ArrayBuffer>;

  /** @param vocabulary as it is written @param placesOf reads the places of a word, freed once they are used */
  constructor(vocabulary: Uint8Array, placesOf: (word: number) => Uint8Array<ArrayBuffer>) {
    const bytes = Buffer.from(vocabulary.buffer, vocabulary.byteOffset, vocabulary.length);
    this.#width = bytes.readUInt32LE();
    this.#text = bytes.subarray(WIDTH_BYTES);
    this.#placesOf = placesOf;
  }

  /** The words that contain these bytes; END at their start or end means that of the word. */
  *#containing(bytes: Buffer): Generator<number> {
    for (let at = this.#text.indexOf(bytes); at !== -1;) {
      const word = this.#text.lastIndexOf(END, at) + END.length;
      if (word === this.#text.length) return;
      yield word;
      at = this.#text.indexOf(bytes, this.#text.indexOf(END, word));
    }
  }

  /** Pass each place of these words to `take`. */
  async #each(words: Iterable<number>, pause: Pause, take: (place: number) => void): Promise<void> {
    let read = 0;
    for (const word of words) {
      await pause();
      const bytes = this.#placesOf(word);
      let [place, factor] = [0, 1];
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] ?? 0;
        place += (byte & 0x7f) * factor;
        factor *= 0x80;
        if (byte > 0x7f) continue;
        take(place);
        factor = 1;
        read += 1;
        if (read % SLICE === 0) await pause();
      }
      // Megabytes of a common word, which the garbage collector would find late, in a long pause.
      bytes.buffer.transfer(0);
    }
  }

  /** Mark with 1 the rows whose name contains a text. */
  async mark(text: string, marks: Uint8Array, pause: Pause): Promise<void> {
    const words = text.split(' ').map((word) => Buffer.from(word));
    const wanted = words.map((word, i) =>
      Buffer.concat([...(i > 0 ? [END] : []), word, ...(i < words.length - 1 ? [END] : [])]),
    );
    const last = wanted.pop() ?? END;
    /** A bit for each place that the words so far lead to; undefined before the first word. */
    let reached: Uint8Array<ArrayBuffer> | undefined;
    const isReached = (place: number): boolean => (((reached?.[place >>> 3] ?? 0xff) >> (place & 7)) & 1) === 1;
    for (const word of wanted) {
      const next = new Uint8Array((marks.length * this.#width) / 8 + 1);
      await this.#each(this.#containing(word), pause, (place) => {
        if (!isReached(place)) return;
        const at = (place + 1) >>> 3;
        next[at] = (next[at] ?? 0) | (1 << ((place + 1) & 7));
      });
      reached?.buffer.transfer(0);
      reached = next;
    }
    await this.#each(this.#containing(last), pause, (place) => {
      if (isReached(place)) marks[Math.floor(place / this.#width)] = 1;
    });
    reached?.buffer.transfer(0);
  }
}
