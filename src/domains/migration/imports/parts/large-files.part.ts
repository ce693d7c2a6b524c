import { lfsServerOf } from '../../../code/index.ts'
import type { ImportPart } from '../read-request.ts'
import type { LargeFileServices } from '../new-import.ts'

/** Imports all large files that the history refers to. */
export function largeFilesPart({ lfsObjects, lfsTransfers }: LargeFileServices): ImportPart {
  return async ({ request, location, repo, remainingBytes, countBytes, signal, onEnd }) => {
    const hold = lfsObjects.hold()
    onEnd(() => hold.release())
    const server = lfsServerOf({ ...location, endpoint: request.lfsEndpoint })!
    await lfsTransfers.fetchAll(server, repo, { hold, maxBytes: remainingBytes(), signal })
    countBytes(hold.size)
    return (tx, repoId) => hold.link(tx, repoId)
  }
}
