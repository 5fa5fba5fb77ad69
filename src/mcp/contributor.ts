/** Who a view comes from, as the origin of events names it. */
export interface Contributor {
  readonly plugin: string;
  readonly version: string | undefined;
}
