import { type Static, Type } from '@sinclair/typebox'
import { asId } from '../platform/crypto/ids.ts'
import { isPublicRepo } from './admit.ts'
import type { RepoFacts } from './repo-access.ts'
import { ALL_SCOPES, formatScopes, parseScopes } from './scopes.ts'
import { type Account, isPublicOnly, type SignedIn, viewerOfAccount } from './viewer.ts'

/**
 * What credentials may not do although their account may. It is stored with work that runs after the request, in
 * payloads of events and jobs and in rows, so that the work has the rights of the credentials that asked for it.
 */
export const CredentialRestriction = Type.Object({
  /** The only repositories that they reach; all where absent. */
  only_repos: Type.Optional(Type.Array(Type.Integer())),
  /** In the normal form; all where absent. */
  scopes: Type.Optional(Type.Array(Type.String())),
  deploy_key_id: Type.Optional(Type.Integer()),
})
export type CredentialRestriction = Static<typeof CredentialRestriction>

interface Credentials {
  readonly onlyRepos?: ReadonlySet<number> | undefined
  readonly scopes?: Parameters<typeof formatScopes>[0] | undefined
  readonly deployKeyId?: number | undefined
}

const EVERYTHING = formatScopes(ALL_SCOPES).join()

/** Undefined for credentials that may do whatever their account may. */
export function restrictionOf({ onlyRepos, scopes, deployKeyId }: Credentials): CredentialRestriction | undefined {
  const names = scopes && formatScopes(scopes)
  const restriction: CredentialRestriction = {
    ...(onlyRepos !== undefined && { only_repos: [...onlyRepos] }),
    ...(names !== undefined && names.join() !== EVERYTHING && { scopes: names }),
    ...(deployKeyId !== undefined && { deploy_key_id: deployKeyId }),
  }
  return Object.keys(restriction).length === 0 ? undefined : restriction
}

/** The account with the rights of the credentials. */
export function restrictedViewer(account: Account, restriction: CredentialRestriction | undefined): SignedIn {
  const { only_repos, scopes, deploy_key_id: deployKeyId } = restriction ?? {}
  const parsed = scopes && parseScopes(scopes)
  return {
    ...viewerOfAccount(account),
    ...(parsed && { scopes: parsed.ok ? parsed.scopes : { publicOnly: true, levels: new Map() } }),
    ...(only_repos && { onlyRepos: new Set(only_repos.map((id) => asId<RepoFacts['id']>(id))) }),
    ...(deployKeyId !== undefined && { deployKeyId }),
  }
}

/** For a column; empty for no restriction. */
export const formatRestriction = (restriction: CredentialRestriction | undefined): string =>
  restriction === undefined ? '' : JSON.stringify(restriction)
export const parseRestriction = (text: string): CredentialRestriction | undefined =>
  text === '' ? undefined : (JSON.parse(text) as CredentialRestriction)

/** Whether the credentials reach the repository, whatever the account may do with it. */
export const reachesRepo = (actor: SignedIn, repo: Pick<RepoFacts, 'id' | 'isPrivate' | 'owner'>): boolean =>
  (actor.onlyRepos?.has(repo.id) ?? true) && (!isPublicOnly(actor) || isPublicRepo(repo))
