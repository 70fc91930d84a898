/** A plain client of the sandbox: no cookies, no redirects, no decompression unless asked for. */
import { request, type IncomingHttpHeaders } from 'node:http';
import type { Sandbox } from '../../sandbox/server.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

/** Ask the sandbox for a real address, such as https://data.colorado.gov/. Rejects where the connection breaks. */
export function get(
  sandbox: Pick<Sandbox, 'port'>,
  address: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answer> {
  const url = new URL(address);
  const host = url.host.endsWith('.example') ? url.host : `${url.host}.sandbox.example`;
  return new Promise((resolve, reject) => {
    request(
      { host: '127.0.0.1', port: sandbox.port, path: url.pathname + url.search, method, headers: { host, ...headers } },
      (response) => {
        const parts: Buffer[] = [];
        response
          .on('data', (part: Buffer) => parts.push(part))
          .on('error', reject)
          .on('end', () => {
            const body = Buffer.concat(parts);
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString() });
          });
      },
    )
      .on('error', reject)
      .end();
  });
}

export const HEARTLAND = 'https://www.heartland-multifamily.example';
export const BUCKEYE = 'https://www.buckeye-income-property.example';
export const HUD = 'https://www.huduser.gov';
export const CUYAHOGA_LAYER = 'https://gis.cuyahogacounty.us/server/rest/services/CCFO/EPV_Prod/FeatureServer/2';
export const HAMILTON_LAYER = 'https://cagisonline.hamilton-co.org/arcgis/rest/services/HCE/Cadastral/MapServer/2';
export const STARK_LAYER =
  'https://utility.arcgis.com/usrsvcs/servers/067a37ee416e4d11bc23dd1446ad30ba' +
  '/rest/services/Auditor/StarkCountyParcels/FeatureServer/0';
export const MONTGOMERY = 'https://go.mcohio.org/applications/treasurer';
export const CUYAHOGA_SALES = 'https://cuyahoga.sheriffsaleauction.ohio.gov/index.cfm';
export const OHIO = 'https://publicfiles.ohiosos.gov/free/OnlineBusinessReports';
export const COLORADO = 'https://data.colorado.gov';
