/** The conversations that docs/mcp-purchase.md shows, without the values that differ every time. */

/**
 * Senders, methods and field names of the messages, without values.
 * @param tools gets the names of the listed tools
 */
export const skeleton = (text: string, tools: Set<string>): unknown[] =>
  [...text.matchAll(/^(client|server):\n\n```json\n(.*?)\n```/gms)].map(([, from, json]) => {
    const { method, params, result } = JSON.parse(json ?? '') as {
      method?: string;
      params?: { name?: string };
      result?: { structuredContent?: Record<string, unknown>; tools?: { name: string }[]; isError?: boolean };
    };
    const { structuredContent } = result ?? {};
    for (const { name } of result?.tools ?? []) tools.add(name);
    return [
      from,
      method,
      params?.name,
      Object.keys(result ?? {}),
      result?.isError,
      structuredContent && Object.keys(structuredContent),
      Object.keys((structuredContent?.['body'] ?? {}) as object),
    ];
  });
