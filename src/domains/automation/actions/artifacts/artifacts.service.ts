import type { Core } from '../../../../core/module.ts'
import type { Readable } from 'node:stream'
import type { Db } from '../../../../core/db/database.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { type ByteRange, contentDisposition } from '../../../../core/platform/http/media-type.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { findRun, listRunsByIds, type Run } from '../runs/run.store.ts'
import { requireRun } from '../runs/runs.service.ts'
import type { StoredBytes } from '../stored-blocks/stored-bytes.ts'
import type { StoredFiles } from '../stored-files.ts'
import { type Artifact, type ArtifactFilter, deleteArtifact, findArtifact, listArtifacts } from './artifact.store.ts'
import { fileOf, isExpired } from './artifact.policy.ts'
import type { LinkProof, SignedLinks } from './signed-links.ts'

export interface ArtifactView {
  readonly artifact: Artifact
  readonly run: Run
}

interface LinkedArtifact {
  readonly artifact: Artifact
  /** The address of the object in the object store, if clients are redirected to it. */
  readonly location: string | undefined
}

interface ArtifactDeps extends Pick<Core, 'database' | 'clock'> {
  readonly stored: StoredBytes
  readonly files: Pick<StoredFiles, 'release'>
  readonly links: SignedLinks
}

export type Artifacts = ReturnType<typeof createArtifacts>

/** Artifacts of jobs (behaviour/actions#runs-jobs-workflows-tasks-artifacts). Callers check permissions. */
export function createArtifacts({ database, stored, clock, files, links }: ArtifactDeps) {
  const { read } = database

  async function getArtifact(repoId: RepoId, id: number): Promise<Artifact> {
    const artifact = await findArtifact(read, repoId, id)
    if (artifact === undefined) throw errors.artifactNotFound()
    return artifact
  }

  async function getDownloadable(repoId: RepoId, id: number): Promise<Artifact> {
    const artifact = await getArtifact(repoId, id)
    if (isExpired(artifact, clock.now())) throw notFound('artifact has expired')
    return artifact
  }

  return {
    /** Sorted by id. Throws NotFound for a run of another repository. */
    async list(filter: ArtifactFilter, paging: Paging): Promise<Page<ArtifactView>> {
      const { repoId, runId } = filter
      if (runId !== undefined) requireRun(await findRun(read, repoId, runId))
      const { items, total } = await listArtifacts(read, filter, paging)
      return { items: await withRuns(read, items), total }
    },
    /** Throws NotFound, also for an artifact of another repository. */
    async get(repoId: RepoId, id: number): Promise<ArtifactView> {
      const [view] = await withRuns(read, [await getArtifact(repoId, id)])
      if (view === undefined) throw notFound('the artifact was deleted by another request')
      return view
    },
    /** Throws NotFound, also when the artifact is expired. */
    getDownloadable,
    /** Throws NotFound. */
    delete: (repoId: RepoId, id: number): Promise<void> =>
      database.transaction(async (tx) => {
        const hashes = await deleteArtifact(tx, repoId, id)
        if (hashes === undefined) throw errors.artifactNotFound()
        await files.release(tx, hashes)
      }),
    /**
     * A signature with which anyone can download the artifact for an hour. Throws NotFound, also when the artifact is
     * expired.
     */
    async link(repo: Repo, id: number): Promise<LinkProof> {
      await getDownloadable(repo.id, id)
      return links.make(targetOf(repo.fullName, id))
    },
    /** Throws Unauthenticated for an invalid or expired link, NotFound when the artifact was deleted or is expired. */
    async findLinked(
      { owner, name, id }: { readonly owner: string; readonly name: string; readonly id: number },
      proof: LinkProof,
    ): Promise<LinkedArtifact> {
      if (!links.isValid(targetOf(`${owner}/${name}`, id), proof)) throw errors.artifactLinkInvalid()
      const repo = await repoQueries.findByAnyName(read, owner, name)
      if (repo === undefined) throw errors.repoNotFound()
      const artifact = await getDownloadable(repo.id, id)
      return { artifact, location: await linkTo(stored, artifact) }
    },
    /** The bytes. Throws NotFound when they are missing. */
    async open({ hash }: Artifact, range: ByteRange | undefined): Promise<Readable> {
      const body = await stored.open(hash, range)
      if (body === undefined) throw notFound('the bytes of the artifact are missing')
      return body
    },
  }
}

const targetOf = (fullName: string, id: number): string => `${id} ${fullName.toLowerCase()}`

function linkTo(stored: StoredBytes, artifact: Artifact): Promise<string | undefined> {
  const { fileName, type } = fileOf(artifact)
  const contentDispositionOf = contentDisposition('attachment', fileName)
  return stored.link(artifact.hash, { contentType: type, contentDisposition: contentDispositionOf })
}

async function withRuns(read: Db, artifacts: readonly Artifact[]): Promise<ArtifactView[]> {
  const found = await listRunsByIds(
    read,
    artifacts.map(({ runId }) => runId),
  )
  const runs = new Map(found.map((run) => [run.id, run]))
  return artifacts.flatMap((artifact) => {
    const run = runs.get(artifact.runId)
    return run === undefined ? [] : [{ artifact, run }]
  })
}
