import { part } from '../server-context.ts'

/** A repository, an organization, an account or the site, where hooks, variables and secrets are. */
export interface Place {
  readonly id: string
  readonly name: string
  /** Prefixes of paths at the two servers. */
  readonly source: string
  readonly target: string
  /** The accounts to act as. */
  readonly sudo?: string
  readonly as?: string
}

/** The path of a list at the other server. */
export const pathOf = ({ source, sudo }: Place, path: string): string =>
  `${source}${path}${sudo === undefined ? '' : `?sudo=${part(sudo)}`}`
