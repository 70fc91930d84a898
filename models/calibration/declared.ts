/** Declared inputs of the calibration that no file has: numbers and names of areas. */
type Key = readonly [key: string, value: string, basis: string];

/** Read in SQL by parameter('key'). */
export const CALIBRATION_PARAMETERS: readonly Key[] = [
  ['prior_n', '30', 'Properties as which the prior of a cell counts.'],
  ['thin_n_eff', '15', 'A cell with fewer effective properties shows the quartiles of its size.'],
  ['least_ratio', '0.10', 'A lower ratio of expenses to rent is read as an error of the answer.'],
  ['most_ratio', '1.20', 'A higher one is read as an error, or as a building under repair.'],
  ['price_factor', '1.39', 'Consumer prices of 2024 over 2011 (CPI-U: 313.7 over 224.9).'],
  ['national_premium', '1569', "Homeowners' average premium of the United States, HO-3, 2022."],
  ['census_missing', '-666666666', 'Published by the census instead of a missing figure.'],
  ['census_top_rent', '3501', 'Published for every rent above 3,500.'],
  ['census_top_tax', '10001', 'Published for every tax above 10,000.'],
  ['census_top_value', '2000001', 'Published for every value above 2,000,000.'],
  ['census_vintage', '2024', 'Last of the five years of the census files.'],
  ['survey_source', 'Rental Housing Finance Survey 2012, public-use file', 'Source of the survey tables.'],
  ['survey_year', '2011', 'Year that the owners describe.'],
  ['survey_as_of', '2011-12-31', 'End of the year that the owners describe.'],
  ['census_source', 'American Community Survey 2020-2024, five-year tables', 'Source of the census tables.'],
  ['census_as_of', '2024-12-31', 'End of the five years.'],
  ['premium_source', 'NAIC average premium of homeowners (HO-3) by state, 2022', 'Source of the premiums.'],
  ['premium_as_of', '2022-12-31', 'End of the year of the premiums.'],
  ['assessor_source', 'Cook County Assessor, worksheets of 2023 to 2026', "Source of the assessor's NOI."],
  ['loans_source', 'SEC exhibits EX-102 of three trusts, 2017 to 2026', 'Source of the NOI of securitized loans.'],
  ['comparison_as_of', '2026-03-31', 'End of the newest month that a file of the comparison describes.'],
  ['least_median', '0.90', 'Aim of the comparison: median of ours over theirs.'],
  ['most_median', '1.10', 'Aim of the comparison: median of ours over theirs.'],
  ['least_compared', '100', 'Properties from which the aim holds.'],
  ['vacancy_source', 'Housing Vacancy Survey, table 4', 'Source of the names of areas.'],
  ['vacancy_as_of', '2026-06-30', 'End of the newest quarter of the table with these names.'],
];

type Metro = readonly [cbsa: string, region: 'midwest' | 'south' | 'west', earlierName?: string];

/** The areas of the vacancy survey among the twenty metros: region, and the name in tables before 2026 if another. */
export const SURVEY_METROS: readonly Metro[] = [
  ['10420', 'midwest'],
  ['12060', 'south', 'Atlanta-Sandy Springs-Alpharetta, GA'],
  ['13820', 'south', 'Birmingham-Hoover, AL'],
  ['16740', 'south'],
  ['17140', 'midwest'],
  ['17410', 'midwest', 'Cleveland-Elyria, OH'],
  ['18140', 'midwest'],
  ['19430', 'midwest', 'Dayton, OH'],
  ['19820', 'midwest'],
  ['26900', 'midwest', 'Indianapolis-Carmel-Anderson, IN'],
  ['27260', 'south'],
  ['28140', 'midwest'],
  ['31140', 'south'],
  ['32820', 'south'],
  ['33340', 'midwest', 'Milwaukee-Waukesha-West Allis, WI'],
  ['38060', 'west', 'Phoenix-Mesa-Scottsdale, AZ'],
  ['41180', 'midwest'],
  ['41700', 'south'],
  ['45300', 'south'],
  ['45780', 'midwest'],
];
