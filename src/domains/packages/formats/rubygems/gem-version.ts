export const isPrerelease = (version: string): boolean => /[a-z]/i.test(version)

/** Compares like `Gem::Version#<=>`: numbers come after letters, and zeros at the end do not count. */
export function compareGemVersions(a: string, b: string): number {
  const [left, right] = [segmentsOf(a), segmentsOf(b)]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [one = 0, other = 0] = [left[at], right[at]]
    if (one === other) continue
    if (typeof one === typeof other) return one < other ? -1 : 1
    return typeof one === 'string' ? -1 : 1
  }
  return 0
}

const segmentsOf = (version: string): (string | number)[] =>
  (version.match(/\d+|[a-z]+/gi) ?? []).map((part) => (/\d/.test(part) ? Number(part) : part))
