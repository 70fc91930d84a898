/** Settings of the store, for runs, workers and servers. */
import { z } from 'zod';

export const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#\s]*))?$/u;

/** Variables of the AWS tools that say where a bucket is and which profile opens it. They are no secrets. */
export const BUCKET_VARIABLES = [
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_S3',
  'AWS_PROFILE',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
] as const;

/** Variables of the AWS tools with a key. */
export const BUCKET_KEYS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;

/** Megabytes of snapshots, and of pages, that DATA_DIR caches from the store. The current snapshot always stays. */
export const STORE_CACHE_MB = 20_000;

export const storeSettings = {
  STORE: z
    .string()
    .refine(
      (text) => S3_ADDRESS.test(text) || !/^[a-z0-9+.-]+:/iu.test(text),
      's3://bucket/prefix, or the path of a folder',
    )
    .optional()
    .describe(
      'Store of snapshots and archived pages, for hosts without a shared disk: s3://bucket/prefix or a folder. ' +
        'Credentials, AWS_REGION and AWS_ENDPOINT_URL are read as all AWS tools do. Default: DATA_DIR only.',
    ),
};
