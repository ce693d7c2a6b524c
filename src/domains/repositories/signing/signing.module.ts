import { readFile } from 'node:fs/promises'
import type { Config } from '../../../core/config/index.ts'
import { defineModule } from '../../../core/module.ts'
import { signingOperations } from './signing.operations.ts'
import { type CommitSigner, loadCommitSigner } from './signing.ts'

declare module '../../../core/module.ts' {
  interface Services {
    /** Undefined without a configured key: commits of the server are not signed then. */
    readonly signer: CommitSigner | undefined
  }
}

/** The key of the server, which signs commits written by the server. */
export const module = defineModule({
  name: 'signing',
  needs: [],
  async create({ config }) {
    const signer = await loadSigner(config)
    return { services: { signer }, operations: signingOperations(signer) }
  },
})

/** Throws for a malformed key, so that the server does not start. */
async function loadSigner({ git, service, signing }: Config): Promise<CommitSigner | undefined> {
  if (signing.key === '') return undefined
  try {
    return await loadCommitSigner({
      text: await readFile(signing.key, 'utf8'),
      passphrase: signing.passphrase,
      name: git.identity_name,
      email: git.identity_email || `ingot@${service.no_reply_address}`,
    })
  } catch (error) {
    throw new Error(`signing.key: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
