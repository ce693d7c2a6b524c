import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'

/** A repository to which a token can be restricted. */
export interface TokenRepo {
  readonly id: RepoId
  /** `owner/name` */
  readonly fullName: string
}

/** What tokens need of repositories. */
export interface TokenRepos {
  /** By `owner/name`; undefined when it is missing or hidden from the owner of the token. */
  find(db: Db, owner: SignedIn, fullName: string): Promise<TokenRepo | undefined>
  /** Those of these ids that the owner of the tokens sees, by a fixed number of queries. */
  listVisible(db: Db, owner: SignedIn, ids: readonly RepoId[]): Promise<readonly TokenRepo[]>
}

/** Port for the module that authorizes repositories, which registers once. */
export interface TokenRepoPort extends TokenRepos {
  register(repos: TokenRepos): void
}

export function createTokenRepoPort(): TokenRepoPort {
  let registered: TokenRepos | undefined
  const repos = (): TokenRepos => {
    if (registered === undefined) throw new Error('no module authorizes repositories')
    return registered
  }
  return {
    register: (given) => void (registered = given),
    find: (...args) => repos().find(...args),
    listVisible: (...args) => repos().listVisible(...args),
  }
}
