/** Who a view comes from, as the origin of events names it. */
export interface Contributor {
  readonly plugin: string;
  readonly version: string | undefined;
}

/** `name@version`, or the name of one without a version. */
export function contributorText({ plugin, version }: Contributor): string {
  return version === undefined ? plugin : `${plugin}@${version}`;
}
