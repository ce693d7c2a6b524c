import { createCommand, type GitCommand } from './engine/command.ts'
import { createHistory, type History } from './engine/history.ts'
import { emptyTreeOid, zeroOid, type ObjectFormat } from './engine/object/format.ts'
import { createObjects, type Objects } from './engine/objects.ts'
import { RefReader } from './engine/ref-store.ts'
import { createRefs, type Refs } from './engine/refs.ts'
import { createRevisions, type Revisions } from './engine/revision.ts'
import type { GitState } from './state.ts'

/** One repository. Making this value touches nothing on disk; a missing repository shows at the first use as GitError `no-repo`. */
export interface GitRepo {
  readonly storage: string
  readonly path: string
  readonly objectFormat: ObjectFormat
  readonly zeroOid: string
  readonly emptyTreeOid: string
  readonly objects: Objects
  readonly refs: Refs
  readonly revisions: Revisions
  readonly history: History
  /** Git commands on this repository, for the wire. */
  readonly command: GitCommand
}

export function createRepo(state: GitState, storage: string, format: ObjectFormat, cacheKey: string): GitRepo {
  const path = state.layout.repo(storage)
  const command = createCommand(path, state.slots, state.limits.deadline)
  const objects = createObjects({ path, format, cacheKey, cache: state.objects, pool: state.pool, command })
  const refs = createRefs({ path, format, reader: new RefReader(path), mutex: state.refMutex, command })
  return {
    storage,
    path,
    objectFormat: format,
    zeroOid: zeroOid(format),
    emptyTreeOid: emptyTreeOid(format),
    objects,
    refs,
    revisions: createRevisions({ format, objects, refs }),
    history: createHistory({ format, cacheKey, objects, command, memo: state.memo }),
    command,
  }
}
