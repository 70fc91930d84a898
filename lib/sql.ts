/** Quoting for the few SQL statements that are put together in code. Values of queries go through parameters instead. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;
