/** MINI_APP_MANAGED_VIEWS: which views may be called only with an approval. `*` stands for any characters. */

/** @param globs such as `public/*`; none: no view is managed. */
export function managedBy(globs: readonly string[]): (view: string) => boolean {
  const patterns = globs.map((glob) => new RegExp(`^${glob.split('*').map(literal).join('.*')}$`, 's'));
  const known = new Map<string, boolean>();
  return (view) => {
    const answer = known.get(view) ?? patterns.some((pattern) => pattern.test(view));
    known.set(view, answer);
    return answer;
  };
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
