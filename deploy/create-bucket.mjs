/**
 * Creates the bucket of STAVE_MEDIA_URL if it does not exist: `node deploy/create-bucket.mjs`. Reads
 * endpoint, region and credentials from the usual AWS_ variables. Waits up to a minute for the server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const bucket = /^s3:\/\/([^/]+)/.exec(process.env.STAVE_MEDIA_URL ?? '')?.[1];
if (bucket === undefined) {
  process.stderr.write(
    'create-bucket: STAVE_MEDIA_URL must be s3://BUCKET or s3://BUCKET/PREFIX\n',
  );
  process.exit(1);
}
const client = new S3Client({ forcePathStyle: process.env.AWS_ENDPOINT_URL !== undefined });

for (let tries = 1; ; tries++) {
  try {
    process.stdout.write(
      `create-bucket: ${bucket} ${(await exists()) ? 'is there' : await create()}\n`,
    );
    break;
  } catch (error) {
    if (tries === 60) {
      process.stderr.write(`create-bucket: ${bucket} cannot be made: ${error.message}\n`);
      process.exit(1);
    }
    await sleep(1_000);
  }
}

async function exists() {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }));
    return true;
  } catch (error) {
    if (error.$metadata?.httpStatusCode === 404) return false;
    throw error;
  }
}

async function create() {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return 'was made';
}
