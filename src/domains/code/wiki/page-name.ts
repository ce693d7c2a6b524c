import { badRequest } from '../../../core/platform/errors.ts'

/**
 * A page has a title, a `sub_url` (its name in addresses) and a file in the wiki's repository
 * (behaviour/repositories#wiki). `Two words` has the `sub_url` `Two-words` and the file `Two-words.md`. Titles that
 * contain a dash end in a mark: `A-b c` has the `sub_url` `A-b+c.-` and the file `A-b c.-.md`.
 */
const MARK = '.-'
const EXTENSION = '.md'
const MAX_FILE_BYTES = 250
const RESERVED = new Set(['_pages', '_new', '_edit', 'raw'])

export function subUrlOf(title: string): string {
  if (title.includes('-') || title.endsWith(EXTENSION)) return escape(title) + MARK
  return escape(title.replaceAll(' ', '-'))
}

export const fileOf = (title: string): string => fileOfSubUrl(subUrlOf(title))

const fileOfSubUrl = (subUrl: string): string => subUrl.replaceAll(/\+|%20/g, ' ') + EXTENSION

/** Title and `sub_url` of the page in a file; undefined if the file is not a page. */
export function namesOfFile(file: string): { readonly title: string; readonly subUrl: string } | undefined {
  if (!file.endsWith(EXTENSION) || file === EXTENSION) return undefined
  const base = file.slice(0, -EXTENSION.length)
  const title = base.endsWith(MARK) ? base.slice(0, -MARK.length) : base.replaceAll('-', ' ')
  return { title: unescape(title), subUrl: base.replaceAll(' ', '+') }
}

/**
 * Candidate files for a name, in order of preference: as a `sub_url`, as one of which the address was decoded (its plus
 * signs are spaces, or else are themselves), as a title, as a file name without extension.
 */
export function filesOf(name: string): string[] {
  const decoded = [name.split('+').map(escape).join('+'), escape(name)]
  return [...new Set([...[name, ...decoded].map(fileOfSubUrl), fileOf(name), name + EXTENSION])]
}

/**
 * Whether a name that `filesOf` does not lead from means this page: its title or `sub_url`, or one of them decoded or
 * encoded once. Of `C++ in a-z`, whose `sub_url` is `C%2B%2B+in+a-z.-`, an address gives `C+++in+a-z.-`.
 */
export function isNamed(file: string, name: string): boolean {
  const names = namesOfFile(file)
  if (names === undefined) return false
  const { title, subUrl } = names
  return title === name || subUrl === name || decode(subUrl) === name || title === unescape(name)
}

/** Returns the trimmed title. Throws BadRequest if it is empty, reserved, too long or has control characters. */
export function requireTitle(text: string): string {
  const title = text.trim()
  if (title === '') throw badRequest('the title of a wiki page must not be empty')
  if (RESERVED.has(title.toLowerCase())) throw badRequest(`wiki title is reserved: ${title}`)
  if (!title.isWellFormed() || /\p{Cc}/u.test(title))
    throw badRequest('the title of a wiki page must not have control characters')
  if (Buffer.byteLength(fileOf(title)) > MAX_FILE_BYTES) throw badRequest('the title of the wiki page is too long')
  return title
}

/** Query-string encoding: keeps letters, digits and `-_.~`, writes a space as a plus. */
const escape = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')

const unescape = (text: string): string => decode(text.replaceAll('+', ' ')) ?? text

/** What a router gives for a part of an address; undefined for what is no encoding. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
