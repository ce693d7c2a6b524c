import { trimEndOf } from '../../../../core/platform/trim.ts'
import { referencePatterns } from '../../../repositories/index.ts'
import { proseBlocks } from './prose-blocks.ts'
import { proseText } from './prose-text.ts'

const HOUR = 60 * 60
/** A day of work has 8 hours and a week 5 days (behaviour/issues#references-keywords-mentions). */
const SECONDS: Readonly<Record<string, number>> = { w: 5 * 8 * HOUR, d: 8 * HOUR, h: HOUR, m: 60 }
const WORK_TIME = /(?<![\w@])@((?:\d{1,5}(?:\.\d{1,5})?[wdhm]){1,4})(?!\w)/i
const TERM = /([\d.]+)([wdhm])/gi

/** The seconds of the first duration, such as `@1h30m` or `@1.5d`, in the text; 0 without one. */
function parseWorkTime(text: string): number {
  const [, time] = WORK_TIME.exec(text) ?? []
  if (time === undefined) return 0
  let seconds = 0
  for (const [, amount, unit] of time.matchAll(TERM)) seconds += Number(amount) * SECONDS[unit!.toLowerCase()]!
  return Math.round(seconds)
}

/** The requested change of the issue that a text refers to. */
export type KeywordAction = 'none' | 'closes' | 'reopens'

export interface IssueReference {
  /** `owner/name`; undefined for the repository of the text. */
  readonly repo: string | undefined
  readonly number: number
  readonly action: KeywordAction
  /** The time spent written after the reference; 0 for none. */
  readonly seconds: number
}

export interface Mention {
  readonly name: string
  /** Set for `@name/team`, the team of an organization. */
  readonly team: string | undefined
}

export interface ReferenceGrammar {
  /** The address of this server, without a trailing slash. */
  readonly rootUrl: string
  /** Lower case. */
  readonly closeKeywords: ReadonlySet<string>
  readonly reopenKeywords: ReadonlySet<string>
}

/** The maximum number of references in one text; further ones are ignored. */
const MAX_REFERENCES = 100
const MAX_MENTIONS = 100

/**
 * The issues and pull requests that a text refers to, in order, like the renderer links them
 * (behaviour/issues#references-keywords-mentions). Runs in linear time.
 */
export function parseReferences(text: string, grammar: ReferenceGrammar): IssueReference[] {
  if (!mayRefer(text, grammar)) return []
  const references: IssueReference[] = []
  for (const block of proseBlocks(text)) {
    for (const reference of referencesIn(proseText(block), grammar)) {
      references.push(reference)
      if (references.length === MAX_REFERENCES) return references
    }
  }
  return references
}

/** The users and teams mentioned in a text, in order, without duplicates. */
export function parseMentions(text: string): Mention[] {
  if (!text.includes('@')) return []
  const mentions = new Map<string, Mention>()
  for (const block of proseBlocks(text)) {
    const prose = withoutUrls(proseText(block)).prose
    for (const match of prose.matchAll(referencePatterns.mention)) {
      const whole = match[1]!
      const name = trimEndOf(whole, '-._')
      const after = name === whole ? TEAM.exec(prose.slice(match.index + match[0].length).slice(0, MAX_NAME)) : null
      const team = after === null ? undefined : trimEndOf(after[1]!, '-._')
      mentions.set(`${name}/${team ?? ''}`.toLowerCase(), { name, team: team || undefined })
      if (mentions.size === MAX_MENTIONS) return [...mentions.values()]
    }
  }
  return [...mentions.values()]
}

const MAX_NAME = 101
const TEAM = /^\/([\w-][-.\w]{0,99})/

const mayRefer = (text: string, { rootUrl }: ReferenceGrammar): boolean =>
  text.includes('#') || text.includes('!') || text.includes(rootUrl)

interface Found {
  readonly start: number
  readonly end: number
  readonly repo: string | undefined
  readonly number: number
}

const URL = /https?:\/\/[^\s<>]+/gi
const ISSUE_PATH = /^\/([\w-][\w.-]{0,39}\/[\w.-]{1,100})\/(?:issues|pulls)\/(\d{1,10})(?![\w/-])/

/** Replaces addresses by spaces, since their parts are not references. */
function withoutUrls(text: string): { readonly prose: string; readonly urls: readonly RegExpExecArray[] } {
  const urls = [...text.matchAll(URL)]
  return { prose: urls.length === 0 ? text : text.replaceAll(URL, (url) => ' '.repeat(url.length)), urls }
}

function referencesIn(text: string, grammar: ReferenceGrammar): IssueReference[] {
  const { prose, urls } = withoutUrls(text)
  const found: Found[] = []
  for (const match of urls) {
    const [url] = match
    const path = url.startsWith(`${grammar.rootUrl}/`) ? ISSUE_PATH.exec(url.slice(grammar.rootUrl.length)) : null
    if (path !== null) found.push(foundAt(match.index, url.length, path[1], path[2]!))
  }
  for (const { index, 0: whole, 1: repo, 3: number } of prose.matchAll(referencePatterns.fullReference))
    found.push(foundAt(index, whole.length, repo, number!))
  for (const { index, 0: whole, 2: number } of prose.matchAll(referencePatterns.shortReference))
    found.push(foundAt(index, whole.length, undefined, number!))
  found.sort((a, b) => a.start - b.start)
  return found.map(({ start, end, repo, number }, position) => ({
    repo,
    number,
    action: actionOf(prose.slice(Math.max(0, start - MAX_KEYWORD), start), grammar),
    seconds: parseWorkTime(prose.slice(end, Math.min(found[position + 1]?.start ?? Infinity, end + MAX_REMARK))),
  }))
}

const foundAt = (start: number, length: number, repo: string | undefined, number: string): Found => ({
  start,
  end: start + length,
  repo,
  number: Number(number),
})

const MAX_KEYWORD = 60
/** The maximum distance between a reference and the time spent. */
const MAX_REMARK = 100

/** A keyword is the word directly before the reference, with or without a colon. */
function actionOf(before: string, { closeKeywords, reopenKeywords }: ReferenceGrammar): KeywordAction {
  const [, word] = /(?<![\p{L}\p{N}_@#/-])([\p{L}\p{N}-]{1,50})(?::\s{0,8}|\s{1,8})$/u.exec(before) ?? []
  if (word === undefined) return 'none'
  const keyword = word.toLowerCase()
  if (closeKeywords.has(keyword)) return 'closes'
  return reopenKeywords.has(keyword) ? 'reopens' : 'none'
}
