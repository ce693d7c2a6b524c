import { lfsServerOf } from '../../lfs/index.ts'
import type { ImportPart } from '../import-part.ts'
import type { LargeFileServices } from '../new-import.ts'

/** Everything that the history points to. */
export function largeFilesPart({ lfsObjects, lfsTransfers }: LargeFileServices): ImportPart {
  return async ({ request, place, repo, room, spend, signal, onEnd }) => {
    const hold = lfsObjects.hold()
    onEnd(() => hold.release())
    const server = lfsServerOf({ ...place, endpoint: request.lfsEndpoint })!
    await lfsTransfers.fetchAll(server, repo, { hold, maxBytes: room(), signal })
    spend(hold.size)
    return (tx, repoId) => hold.link(tx, repoId)
  }
}
