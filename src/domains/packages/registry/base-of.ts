import type { User } from '../../accounts/index.ts'

export const PREFIX = '/api/packages'

/** The address of the registry of an owner. */
export const baseOf = (rootUrl: string, { name }: Pick<User, 'name'>, type: string): string =>
  `${rootUrl}${PREFIX}/${encodeURIComponent(name)}/${type}`
