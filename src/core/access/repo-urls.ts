import { flatText } from '../platform/flat-text.ts'
import type { Site } from '../platform/site.ts'

/** Addresses of a repository and its contents. */
export interface RepoUrls {
  /** Address of the web page, without a trailing slash. */
  readonly html: string
  /** Address of the API resource, without a trailing slash. */
  readonly api: string
}

export function repoUrls(repo: { readonly fullName: string }, site: Site): RepoUrls {
  const root = site.rootUrl()
  return { html: flatText(root, '/', repo.fullName), api: flatText(root, '/api/v1/repos/', repo.fullName) }
}

/** Escapes each part of a path or ref for an address, without the slashes. */
export const escapePath = (path: string): string =>
  PLAIN.test(path) ? path : path.split('/').map(escapePart).join('/')

/** Characters that need no escaping; nearly all paths have no others. */
const PLAIN = /^[\w.\-/!~*'()$&+:=@]*$/

const escapePart = (part: string): string =>
  encodeURIComponent(part).replaceAll(/%(?:24|26|2B|3A|3D|40)/g, (code) => decodeURIComponent(code))
