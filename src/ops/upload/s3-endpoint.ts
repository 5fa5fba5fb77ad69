/** What the host of an S3 endpoint says. */

/**
 * The region in `s3.<region>.<domain>`, also behind `dualstack`; null for a host that names none (rulings §2 "S3").
 */
export function regionOf(endpoint: URL): string | null {
  const [service, ...rest] = endpoint.hostname.split('.');
  const labels = rest[0] === 'dualstack' ? rest.slice(1) : rest;
  const region = labels[0];
  if (service !== 's3' || region === undefined || region === '') return null;
  return labels.length >= 3 ? region : null;
}

/** The endpoint without a bucket that already stands in front of its host: the predecessor wanted it there. */
export function bucketlessEndpoint(endpoint: URL, bucket: string): URL {
  const url = new URL(endpoint);
  const inFront = `${bucket.toLowerCase()}.`;
  if (url.hostname.startsWith(inFront)) url.hostname = url.hostname.slice(inFront.length);
  return url;
}
