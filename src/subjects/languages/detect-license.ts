import { licenseTemplates } from '../templates/index.ts'

interface Words {
  readonly counts: ReadonlyMap<string, number>
  readonly total: number
}

const ENOUGH = 0.93
/** Texts that differ more than this in length are not compared. */
const MAX_DIFFERENCE = 0.15

/**
 * The SPDX id of the licence that a text is, by the share of words the two have in common; undefined when none comes
 * close. Names, years and layout do not matter.
 */
export type DetectLicense = (text: string) => string | undefined

/** The templates are read at the first use. */
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
    if (score >= ENOUGH && score > (best?.score ?? 0)) best = { id, score }
  }
  return best?.id
}

/** Lines that name a holder and what stands in brackets are left out. */
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
