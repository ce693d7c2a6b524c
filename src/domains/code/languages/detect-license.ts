import { licenseTemplates } from '../../repositories/index.ts'

interface Words {
  readonly counts: ReadonlyMap<string, number>
  readonly total: number
}

/** Share of common words from which on two texts are the same licence. */
const MIN_SIMILARITY = 0.93
/** Texts whose lengths differ by a larger share are not compared. */
const MAX_DIFFERENCE = 0.15

/**
 * The SPDX id of the licence with this text, by the share of common words; undefined when none is similar enough.
 * Names, years and layout are ignored.
 */
export type DetectLicense = (text: string) => string | undefined

/** Reads the templates at the first call. */
export function createLicenseDetector(): DetectLicense {
  let templates: ReadonlyMap<string, Words> | undefined
  return (text) => {
    templates ??= new Map([...licenseTemplates()].map(([id, template]) => [id, wordsOf(template)]))
    return closest(wordsOf(text), templates)
  }
}

function closest(words: Words, templates: ReadonlyMap<string, Words>): string | undefined {
  let best: { id: string; score: number } | undefined
  for (const [id, template] of templates) {
    if (Math.abs(template.total - words.total) > MAX_DIFFERENCE * template.total) continue
    const score = (2 * inCommon(words, template)) / (words.total + template.total)
    if (score >= MIN_SIMILARITY && score > (best?.score ?? 0)) best = { id, score }
  }
  return best?.id
}

/** Skips copyright lines and text in brackets. */
function wordsOf(text: string): Words {
  const plain = text
    .replaceAll(/^.*\bcopyright (?:\(c\)|©|\d|<|\[).*$/gim, ' ')
    .replaceAll(/[<[][^<>[\]\n]{1,60}[>\]]/g, ' ')
  const words = plain.toLowerCase().match(/[a-z\d]+/g) ?? []
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { counts, total: words.length }
}

function inCommon(a: Words, b: Words): number {
  let sum = 0
  for (const [word, count] of a.counts) sum += Math.min(count, b.counts.get(word) ?? 0)
  return sum
}
