import {
  type CredentialRestriction,
  formatRestriction,
  parseRestriction,
  restrictionOf,
} from '../../../core/access/authorize.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { SealedColumns } from '../../../core/db/sealed-columns.ts'
import type { SecretBox } from '../../../core/platform/crypto/secret-box.ts'
import type { MetadataPart, NewImport } from './new-import.ts'

const CONTEXT = 'repository import'

export const sealedImportColumns: readonly SealedColumns[] = [
  { table: 'repo_import', key: 'id', contexts: { request: () => CONTEXT } },
]

/** The parts of a request that an asynchronous import needs after a restart. */
interface StoredRequest {
  readonly input: NewImport
  readonly restriction: CredentialRestriction | undefined
}

/** Encrypts a request, which contains credentials of the other server, with the restriction of its credentials here. */
export const sealRequest = (secrets: SecretBox, actor: SignedIn, input: NewImport): string =>
  secrets.seal(
    JSON.stringify({
      input: { ...input, parts: [...input.parts] },
      restriction: formatRestriction(restrictionOf(actor)),
    }),
    CONTEXT,
  )

/** Throws if the text was encrypted with another key. */
export function openRequest(secrets: SecretBox, sealed: string): StoredRequest {
  const { input, restriction } = JSON.parse(secrets.open(sealed, CONTEXT)) as {
    readonly input: Omit<NewImport, 'parts'> & { readonly parts: readonly MetadataPart[] }
    readonly restriction: string
  }
  return { input: { ...input, parts: new Set(input.parts) }, restriction: parseRestriction(restriction) }
}
