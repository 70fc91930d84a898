/** The part of a year in which a publisher has its list on its site. */

/** First and last day, MM-DD, of the same year. */
export interface Season {
  readonly from: string;
  readonly to: string;
}

/** Whether a day is in the season. Without a season every day is. */
export const isInSeason = (season: Season | undefined, day: string): boolean =>
  season === undefined || (day.slice(5) >= season.from && day.slice(5) <= season.to);

/** The first day of a season, in this year or the next, that is not before `day`; without a season the day itself. */
export function nextInSeason(season: Season | undefined, day: string): string {
  if (season === undefined || isInSeason(season, day)) return day;
  const year = Number(day.slice(0, 4)) + (day.slice(5) > season.to ? 1 : 0);
  return `${year}-${season.from}`;
}
