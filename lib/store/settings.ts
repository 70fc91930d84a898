/** Settings of the store, for runs, workers and servers. */
import { z } from 'zod';

export const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#\s]*))?$/u;

export const storeSettings = {
  STORE: z
    .string()
    .refine((s) => S3_ADDRESS.test(s) || !/^[a-z0-9+.-]+:/iu.test(s), 's3://bucket/prefix, or the path of a folder')
    .optional()
    .describe(
      'Store of snapshots and archived pages, for hosts without a shared disk: s3://bucket/prefix or a folder. ' +
        'Credentials, AWS_REGION and AWS_ENDPOINT_URL are read as all AWS tools do. Default: DATA_DIR only.',
    ),
  STORE_CACHE_MB: z.coerce
    .number('a whole number')
    .int('a whole number')
    .min(0, 'a whole number, 0 or more')
    .default(20_000)
    .describe(
      'With STORE: megabytes of snapshots, and of pages, that DATA_DIR caches from the store. The oldest are removed ' +
        'first; the current snapshot stays.',
    ),
};
