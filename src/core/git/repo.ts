import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFirstGraph } from './disk/commit-graph.ts'
import { createQuarantine, type Quarantine } from './disk/quarantine.ts'
import { type Archives, createArchives } from './engine/archive.ts'
import { type Blames, createBlames } from './engine/history/blame.ts'
import { type Changes, createChanges } from './engine/history/changes.ts'
import { createCommand, type GitCommand } from './engine/command.ts'
import { type ChangedFiles, createChangedFiles } from './engine/diff/changed-files.ts'
import { createDiffTexts, type DiffTexts } from './engine/diff/diff-texts.ts'
import { createDiffLines, type DiffLines } from './engine/diff/hunk-excerpt.ts'
import { createSamePatch, type SamePatch } from './engine/diff/hunk-scanner.ts'
import { createDiffs, type Diffs } from './engine/history/diff.ts'
import { createHistory, type History, createLastCommits, type LastCommits } from './engine/history/history.ts'
import { createIncoming, type Incoming } from './engine/write/incoming.ts'
import { createMerges, type Merges } from './engine/merge/merges.ts'
import { createNotes, type Notes } from './engine/notes.ts'
import { createObjectWriter, type ObjectWriter } from './engine/write/tree-edit.ts'
import { type ObjectFormat, zeroOid } from './engine/object/format.ts'
import { createObjects, type Objects } from './engine/read/objects.ts'
import { createPatches, type Patches } from './engine/history/patch.ts'
import { RefReader } from './engine/refs/ref-store.ts'
import { createRefs, type Refs } from './engine/refs/refs.ts'
import { createRevisions, type Revisions } from './engine/refs/revision.ts'
import { listTagTimes, type TagTime } from './engine/refs/tag-order.ts'
import type { GitState } from './state.ts'
import { randomHex } from '../platform/crypto/crypto.ts'

/**
 * One repository. Creating this value does not touch the disk; a missing repository throws GitError `no-repo` at the
 * first use.
 */
export interface GitRepo {
  readonly storage: string
  readonly path: string
  readonly objectFormat: ObjectFormat
  readonly zeroOid: string
  readonly objects: Objects
  readonly refs: Refs
  readonly revisions: Revisions
  readonly history: History
  readonly lastCommits: LastCommits
  readonly changes: Changes
  readonly changedFiles: ChangedFiles
  readonly diffs: Diffs
  readonly diffTexts: DiffTexts
  readonly diffLines: DiffLines
  readonly samePatch: SamePatch
  readonly merges: Merges
  readonly notes: Notes
  readonly patches: Patches
  readonly archives: Archives
  readonly blames: Blames
  /** Runs git commands on this repository, for the wire layer. */
  readonly command: GitCommand
  /**
   * Delays the destructive part of maintenance while objects are added and refs move. Pushes and writes run
   * concurrently. Not reentrant.
   */
  writing<T>(task: () => Promise<T>): Promise<T>
  /** Throws the system's error if the disk is full: call it before writing rows whose ref is written afterwards. */
  requireRoom(): Promise<void>
  /**
   * Objects written here belong to the repository after `flush`; use within `writing` and move a ref immediately
   * afterwards.
   */
  writer(): ObjectWriter
  /** Tags that peel to a commit, newest first, then by name. Runs one process. */
  tagTimes(): Promise<readonly TagTime[]>
  /** The objects that ref updates would add; `env` is the environment of the quarantine that contains them. */
  incoming(env?: Readonly<Record<string, string>>): Incoming
  /** Call it after a push of this many objects moved its refs: speeds up the first walks through a large history. */
  indexPushed(objects: number): Promise<boolean>
  /** Storage for received objects until they are accepted; use within `writing`. */
  quarantine(): Promise<Quarantine>
}

export function createRepo(state: GitState, storage: string, format: ObjectFormat, cacheKey: string): GitRepo {
  const { memo, repoLock, graph } = state
  const path = state.layout.repo(storage)
  const command = createCommand(path, state.slots, state.limits)
  const objects = createObjects({ path, format, cacheKey, cache: state.objects, pool: state.pool, command })
  const diffs = createDiffs(format, objects, command)
  const { refMutex: mutex, startedAt } = state
  const reader = new RefReader(path, state)
  const onMoved = (): void => state.announce('refs moved', storage)
  const refs = createRefs({ path, format, objects, reader, mutex, command, startedAt, onMoved })
  const revisions = createRevisions({ format, objects, refs })
  const writer = (): ObjectWriter =>
    createObjectWriter({
      directory: join(path, 'objects'),
      format,
      readTree: (oid) => objects.tree(oid),
      written: (object) => objects.remember(object),
    })
  const history = createHistory({ path, format, cacheKey, objects, command, memo, graph })
  const quarantine = (): Promise<Quarantine> => createQuarantine(path, state.quarantines)
  return {
    storage,
    path,
    objectFormat: format,
    zeroOid: zeroOid(format),
    objects,
    refs,
    revisions,
    history,
    lastCommits: createLastCommits({ path, format, cacheKey, objects, revisions, command, memo, graph }),
    changes: createChanges({ format, cacheKey, objects, command, memo }),
    changedFiles: createChangedFiles({ format, cacheKey, command, memo }),
    diffs,
    diffTexts: createDiffTexts({ format, cacheKey, memo }, diffs),
    diffLines: createDiffLines({ format, cacheKey, objects, command, memo }),
    samePatch: createSamePatch({ format, cacheKey, command, memo }),
    merges: createMerges({
      format,
      cacheKey,
      objects,
      command,
      memo,
      quarantine,
      mergeBases: (a, b) => history.mergeBases(a, b),
    }),
    notes: createNotes({ format, objects, refs, revisions, writer }),
    patches: createPatches(format, command),
    archives: createArchives(format, command),
    blames: createBlames({ format, cacheKey, command, memo }),
    command,
    writing: (task) => repoLock.shared(path, task),
    requireRoom: () => requireRoom(path),
    writer,
    tagTimes: () => listTagTimes(command),
    incoming: (env) => createIncoming(format, command, env),
    indexPushed: (objects) => writeFirstGraph(path, command, objects),
    quarantine,
  }
}

const BLOCK = Buffer.alloc(4096)

/**
 * Throws the system's error if the repository's disk cannot store one more block, such as that of a ref. Maintenance
 * deletes a file of this name that a killed process left.
 */
async function requireRoom(path: string): Promise<void> {
  const probe = join(path, 'objects', `tmp_obj_room_${randomHex(8)}`)
  try {
    await writeFile(probe, BLOCK, { flag: 'wx', mode: 0o600 })
  } finally {
    await rm(probe, { force: true })
  }
}
