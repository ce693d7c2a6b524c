import { readFile } from 'node:fs/promises'
import type { Config } from '../config/index.ts'
import { type CommitSigner, loadCommitSigner } from '../subjects/signing/signing.ts'

/** The server's signing key, if the configuration names one. A key that cannot be read stops the start. */
export async function loadSigner({ service, signing }: Config): Promise<CommitSigner | undefined> {
  if (signing.key === '') return undefined
  try {
    const { passphrase, name } = signing
    return await loadCommitSigner({
      text: await readFile(signing.key, 'utf8'),
      passphrase,
      name,
      email: signing.email || `ingot@${service.no_reply_address}`,
    })
  } catch (error) {
    throw new Error(`signing.key: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
