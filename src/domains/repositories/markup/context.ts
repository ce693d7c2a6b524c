import { trimOf } from '../../../core/platform/trim.ts'

/** How a text is rendered (behaviour/users-and-admin#markdown-and-markup). */
export type MarkupMode = 'plain' | 'document' | 'comment' | 'wiki'

/** Resolves the links of a text: bases without a trailing slash, and the repository if the text belongs to one. */
export interface MarkupContext {
  readonly mode: MarkupMode
  readonly rootUrl: string
  /** `owner/repo`, used as text only: nothing is looked up. */
  readonly repo: string | undefined
  readonly linkBase: string
  readonly imageBase: string
  /** Lower-cased names that may be mentioned. */
  readonly mentionable: ReadonlySet<string>
  /** Ids in the text that name commits of the repository. */
  readonly commits: ReadonlySet<string>
  /** The attribute of elements that the renderer generates, see sanitize.ts. */
  readonly own: string
}

/**
 * `Context` of a request: `/{owner}/{repo}` or `/{owner}/{repo}/src/{branch|commit|tag}/{ref...}/{dir}`, with or
 * without the root URL.
 */
export function resolveContext(
  mode: MarkupMode,
  rootUrl: string,
  text: string,
): Omit<MarkupContext, 'commits' | 'mentionable' | 'own'> {
  const path = trimOf(text.startsWith(rootUrl) ? text.slice(rootUrl.length) : text, '/')
  const [owner, name, kind, ...segments] = path.split('/')
  const repo = owner && name ? `${owner}/${name}` : undefined
  const base = repo === undefined ? rootUrl : `${rootUrl}/${repo}`
  const bases =
    mode === 'wiki' ? { linkBase: `${base}/wiki`, imageBase: `${base}/wiki/raw` } : sourceBases(base, kind, segments)
  return { mode, rootUrl, repo, ...bases }
}

function sourceBases(
  base: string,
  kind: string | undefined,
  segments: readonly string[],
): { linkBase: string; imageBase: string } {
  if (kind !== 'src' || segments.length === 0) return { linkBase: base, imageBase: base }
  const tail = segments.join('/')
  return { linkBase: `${base}/src/${tail}`, imageBase: `${base}/media/${tail}` }
}

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** A link target as an absolute URL; dot segments are clamped at the base, absolute paths stay below it too. */
export function resolveLink(target: string, base: string): string {
  if (target === '' || HAS_SCHEME.test(target) || target.startsWith('//')) return target
  if (target.startsWith('#')) return `#user-content-${target.slice(1)}`
  const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(target)!
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return kept.length === 0 ? base + tail : `${base}/${kept.join('/')}${tail}`
}
