import type { Database, Tx } from '../../../../core/db/database.ts'
import { CLAIM_STEP, type ClaimedAuthor } from '../../../../core/db/original-author.ts'
import type { Services } from '../../../../core/module.ts'
import { releaseQueries } from '../../../code/index.ts'
import { issueImports } from '../../../issues/index.ts'
import { reviewImports } from '../../../pulls/index.ts'
import { deleteImportedAuthor, listLinkedAuthors } from './imported-author.store.ts'

interface MapAuthorsDeps {
  readonly database: Database
  readonly signInSources: Pick<Services['signInSources'], 'listActive'>
}

const PAGE = 100

/**
 * Assigns objects that administrators imported to the accounts of their authors: the accounts that a sign-in source at
 * the host of the service has linked to the id of the author there.
 */
export async function mapAuthors({ database, signInSources }: MapAuthorsDeps, signal: AbortSignal): Promise<void> {
  for (const { id, settings } of await signInSources.listActive('oidc')) {
    const { origin } = new URL(settings.issuer || settings.authorization_url)
    for (;;) {
      const linked = await listLinkedAuthors(database.read, { sourceId: id, origin, limit: PAGE })
      for (const author of linked) await claim(database, author, signal)
      if (linked.length < PAGE) break
    }
  }
}

const CLAIMS: readonly ((tx: Tx, author: ClaimedAuthor) => Promise<bigint>)[] = [
  issueImports.claimIssues,
  issueImports.claimEntries,
  issueImports.claimReactions,
  issueImports.claimTimes,
  reviewImports.claim,
  releaseQueries.claim,
]

/** NOTE: in many transactions: an author may have written most of a large repository. */
async function claim(database: Database, author: ClaimedAuthor, signal: AbortSignal): Promise<void> {
  for (const claimSome of CLAIMS)
    do signal.throwIfAborted()
    while ((await database.transaction((tx) => claimSome(tx, author))) === BigInt(CLAIM_STEP))
  await database.transaction((tx) => deleteImportedAuthor(tx, author))
}
