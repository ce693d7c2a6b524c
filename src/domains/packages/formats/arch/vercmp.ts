import { compareTexts } from '../../../../core/platform/compare-texts.ts'

/** Compares versions as vercmp(8) of pacman: by epoch, version and, if both have one, release. */
export function vercmp(a: string, b: string): number {
  const [one, two] = [split(a), split(b)]
  return (
    compare(one.epoch, two.epoch) ||
    compare(one.version, two.version) ||
    (one.release === '' || two.release === '' ? 0 : compare(one.release, two.release))
  )
}

function split(text: string): { readonly epoch: string; readonly version: string; readonly release: string } {
  const [, epoch = '0', rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(text) ?? []
  const at = rest.lastIndexOf('-')
  return at === -1
    ? { epoch, version: rest, release: '' }
    : { epoch, version: rest.slice(0, at), release: rest.slice(at + 1) }
}

interface Segment {
  /** The number of separators before it. */
  readonly gap: number
  readonly text: string
}

const segmentsOf = (text: string): Segment[] =>
  [...text.matchAll(/([^A-Za-z\d]*)(\d+|[A-Za-z]+)/g)].map(([, gap = '', segment = '']) => ({
    gap: gap.length,
    text: segment,
  }))

const isNumber = ({ text }: Segment): boolean => /^\d/.test(text)

function compare(a: string, b: string): number {
  const [one, two] = [segmentsOf(a), segmentsOf(b)]
  for (let at = 0; at < Math.min(one.length, two.length); at++) {
    const [left, right] = [one[at]!, two[at]!]
    if (left.gap !== right.gap) return left.gap < right.gap ? -1 : 1
    if (isNumber(left) !== isNumber(right)) return isNumber(left) ? 1 : -1
    const order = isNumber(left) ? compareNumbers(left.text, right.text) : compareTexts(left.text, right.text)
    if (order !== 0) return order
  }
  if (one.length === two.length) return 0
  // Letters after the version, such as those of a beta, make it older; anything else makes it newer.
  const [rest, sign] = one.length > two.length ? [one[two.length]!, 1] : [two[one.length]!, -1]
  return isNumber(rest) || rest.gap > 0 ? sign : -sign
}

function compareNumbers(a: string, b: string): number {
  const [one, two] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return one.length - two.length || compareTexts(one, two)
}
