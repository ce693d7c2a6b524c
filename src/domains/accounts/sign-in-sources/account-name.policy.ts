import { OWNER_NAME_LENGTH, ownerNameProblem } from '../users/users.policy.ts'

/**
 * A name for the account of a person with this login name at a source: the part before `@`, without characters that
 * names cannot contain. Undefined if nothing remains.
 */
export function accountNameOf(loginName: string): string | undefined {
  const [local = ''] = loginName.split('@')
  const name = local
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^0-9a-zA-Z._-]+/g, '-')
    .replaceAll(/[-._]{2,}/g, '-')
    .replace(/^[-._]/, '')
    .slice(0, OWNER_NAME_LENGTH)
    .replace(/[-._]$/, '')
  return ownerNameProblem(name) === undefined ? name : undefined
}
