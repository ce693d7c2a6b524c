import { ProcessError, runProcess } from '../../platform/process/process.ts'
import type { Layout } from '../disk/layout.ts'
import { RemoteError, remoteError } from './remote-error.ts'
import type { Remote } from './remote.ts'
import { sshArguments, withSshFiles } from './ssh.ts'

/** Where large files of a repository go, and the header that lets them in. */
export interface LargeFileGrant {
  readonly url: string
  readonly authorization: string | undefined
}

const MAX_ANSWER = 64 * 1024
const DEADLINE_MS = 60_000

/** Runs git-lfs-authenticate for an upload. Throws RemoteError. */
export function askForLargeFiles(
  layout: Layout,
  { url: text, addresses, privateKey }: Remote,
  { signal }: { readonly signal: AbortSignal },
): Promise<LargeFileGrant> {
  const url = new URL(text)
  return withSshFiles(layout, privateKey, async (files) => {
    if (files === undefined) throw new RemoteError('auth', 'SSH needs a key')
    const args = sshArguments(url, addresses[0], { files, command: (path) => `git-lfs-authenticate ${path} upload` })
    const { code, stdout, stderr } = await runProcess('ssh', args, {
      signal,
      deadline: DEADLINE_MS,
      maxOutput: MAX_ANSWER,
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error instanceof ProcessError
        ? new RemoteError('failed', 'the other server did not say where large files (LFS) go', { cause: error })
        : error
    })
    if (code !== 0) throw remoteError(stderr)
    return readGrant(stdout.toString('utf8'))
  })
}

function readGrant(text: string): LargeFileGrant {
  try {
    const { href, header } = JSON.parse(text) as { href?: unknown; header?: Record<string, unknown> }
    const [, authorization] =
      Object.entries(header ?? {}).find(([name]) => name.toLowerCase() === 'authorization') ?? []
    if (typeof href === 'string' && URL.canParse(href))
      return {
        url: href.replace(/(?<!\/)\/+$/, ''),
        authorization: typeof authorization === 'string' ? authorization : undefined,
      }
  } catch {
    // Said below.
  }
  throw new RemoteError('failed', 'the other server did not say where large files (LFS) go')
}
