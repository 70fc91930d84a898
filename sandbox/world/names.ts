/** Made-up people and companies. Any resemblance to real ones is a coincidence. */
import type { Draw } from './random.ts';

const FIRST = (
  'Adela Alden Amos Beatrix Benno Calla Casimir Clementine Cyrus Dario Delphine Edmund Elodie Emeric Fenna Floyd ' +
  'Garnet Gideon Hester Hollis Ida Imelda Jasper Jolene Kendrick Lavinia Leopold Lorna Mabel Marius Nadia Nestor ' +
  'Odette Orson Paloma Percival Quentin Ramona Roscoe Sabine Silas Tamsin Thaddeus Ursula Vernon Wilhelmina Xavier ' +
  'Yolanda Zachariah'
).split(' ');
const MIDDLE = 'A B C D E F G H J K L M N P R S T V W'.split(' ');
const LAST_HEAD = (
  'Abb Barr Bell Brax Cald Car Dell Dun Eck Fair Gal Gren Hal Hart Ing Jess Kell Lan Mar Nor Ol Pem Quin Rad Sed ' +
  'Stro Tal Und Ver Wal Yor Zim'
).split(' ');
const LAST_TAIL = (
  'away bury combs der dow er field gard holt ington kins ley low man mont over ridge rod row sby sen ston thorn ' +
  'ton ville wick win worth'
).split(' ');
const COMPANY_HEAD = (
  'Amberline Bluepost Brightwell Cinderpath Copperfinch Dovetail Eastgable Fernhollow Gableworks Halfmoon Ironroot ' +
  'Juniper Keystead Lanternway Mapleturn Northbarn Orchardgate Pinequill Quarrystone Redlatch Silverthread ' +
  'Tallowgate Underhill Valleymark Willowgate Yellowbrick'
).split(' ');
const COMPANY_TAIL = (
  'Holdings Properties Rentals Homes Capital Partners Ventures Group Equities Residential Logistics Catering ' +
  'Landscaping Consulting Trucking Design Media Wellness Builders Cleaning Electric Bakery'
).split(' ');

/** Second words that suit a landlord. */
const LANDLORD = COMPANY_TAIL.slice(0, 10);

export function drawPerson(draw: Draw) {
  return {
    first: draw.pick(FIRST),
    middle: draw.chance(0.5) ? draw.pick(MIDDLE) : null,
    last: draw.pick(LAST_HEAD) + draw.pick(LAST_TAIL),
    suffix: draw.chance(0.04) ? draw.pick(['Jr', 'Sr', 'III'] as const) : null,
  };
}

/** Name of a made-up company, without its legal form. */
export function drawCompany(draw: Draw, landlord = false): string {
  const number = draw.chance(0.2) ? ` ${draw.int(2, 99)}` : '';
  return `${draw.pick(COMPANY_HEAD)} ${draw.pick(landlord ? LANDLORD : COMPANY_TAIL)}${number}`;
}

/** Plaintiffs: lenders and others. */
export const PLAINTIFFS = [
  'GRANTHAM MERCHANT BANK NA',
  'LANTERN MORTGAGE SERVICING LLC',
  'FIRST HARTHOLT SAVINGS',
  'PEMBURY LOAN TRUST 2019-2',
  'OLDERIDGE CREDIT UNION',
] as const;

/** Firms that are the agent of many businesses. */
export const AGENT_FIRMS = [
  'Registered Office Partners of America, Inc.',
  'Northgable Agents LLC',
  'Statutory Agent Desk, LLC',
  'Quillmore Corporate Services, Inc.',
] as const;
