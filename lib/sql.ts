/** Quoting for SQL statements that code assembles. Values of queries are parameters instead. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;
