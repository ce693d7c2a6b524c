import { badRequest } from '../../../../core/platform/errors.ts'
import type { CacheRun } from './cache.store.ts'

/** The refs whose caches a run reads, in this order; it saves in the first. */
export type CacheRefs = readonly [own: string, ...others: string[]]

/**
 * A run reads the caches of its own ref, of the base of its pull request and of the default branch. NOTE: a run of a
 * pull request from a fork saves only for that pull request, also when it runs on the base (`pull_request_target`).
 */
export function cacheRefsOf({ ref, payload, isFromFork, defaultBranch }: CacheRun): CacheRefs {
  const { pull_request: pull } = JSON.parse(payload || '{}') as {
    readonly pull_request?: { readonly number?: number; readonly base?: { readonly ref?: string } }
  }
  const own = isFromFork && pull?.number !== undefined ? `refs/pull/${pull.number}/head` : ref
  const base = pull?.base?.ref === undefined ? [] : [`refs/heads/${pull.base.ref}`]
  return [own, ...new Set([...base, `refs/heads/${defaultBranch}`])]
}

const MAX_KEY = 512
const MAX_VERSION = 512

/** Throws BadRequest. */
export function requireCacheKey(key: string | undefined): string {
  if (key === undefined || key === '' || key.length > MAX_KEY || !key.isWellFormed() || /[,\0]/.test(key))
    throw badRequest(`[key]: 1 to ${MAX_KEY} characters without commas`)
  return key
}

/** Throws BadRequest. */
export function requireCacheVersion(version: string | undefined): string {
  if (version === undefined || version.length > MAX_VERSION || !/^[\w.+/=-]+$/.test(version))
    throw badRequest(`[version]: 1 to ${MAX_VERSION} letters and digits`)
  return version
}
