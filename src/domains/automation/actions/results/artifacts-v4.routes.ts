import { errors } from '../../../errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { wireTime } from '../../../../core/platform/clock.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { ArtifactUploads } from '../artifacts/artifact-uploads.service.ts'
import { fileOf } from '../artifacts/artifact.policy.ts'
import type { Artifact } from '../artifacts/artifact.store.ts'
import type { Artifacts } from '../artifacts/artifacts.service.ts'
import type { SignedLinks } from '../artifacts/signed-links.ts'
import type { Uploads } from '../artifacts/uploads/uploads.service.ts'
import type { RunningTask } from '../runs/task-token.store.ts'
import type { TaskTokens } from '../runs/task-tokens.ts'
import type { StoredBytes } from '../stored-blocks/stored-bytes.ts'
import { receivePart } from './block-upload.routes.ts'
import { answering, type Members, readMembers } from './results-answer.routes.ts'
import { queryOf, requireLink, requireTask, rootFor, signedQuery } from './results-request.routes.ts'
import { sendStored } from './send-stored.routes.ts'

export interface ArtifactRouteDeps {
  readonly tokens: Pick<TaskTokens, 'findTask'>
  readonly artifacts: Artifacts
  readonly stored: StoredBytes
  readonly artifactUploads: ArtifactUploads
  readonly uploads: Uploads
  readonly uploadLinks: SignedLinks
  readonly downloadLinks: SignedLinks
  readonly site: Site
}

const BASE = '/twirp/github.actions.results.api.v1.ArtifactService'
const ZIP_TYPES: ReadonlySet<string> = new Set(['', 'application/zip', 'zip'])
const MAX_NAME = 255
const MAX_ID = 64

interface Call {
  readonly task: RunningTask
  readonly members: Members
  /** The prefix of the addresses in the answer. */
  readonly base: string
}

type Method = (call: Call) => Promise<object>

/** Version 4 of the artifact protocol (behaviour/actions#artifact-protocols-and-cache). */
export function registerArtifactsV4(http: FastifyInstance, deps: ArtifactRouteDeps): void {
  for (const [name, method] of Object.entries(methodsOf(deps)))
    http.post(
      `${BASE}/${name}`,
      answering(async (request) => {
        const task = await requireTask(deps.tokens, request)
        const members = await readMembers(request)
        requireRunOf(task, members)
        return method({ task, members, base: `${rootFor(deps.site, request)}${BASE}` })
      }),
    )
  http.put(
    `${BASE}/UploadArtifact`,
    answering((request, reply) => upload(deps, request, reply)),
  )
  http.route({
    method: ['GET', 'HEAD'],
    url: `${BASE}/DownloadArtifact`,
    handler: answering((request, reply) => download(deps, request, reply)),
  })
}

function methodsOf({ artifactUploads, uploadLinks, downloadLinks }: ArtifactRouteDeps): Record<string, Method> {
  return {
    async CreateArtifact({ task, members, base }) {
      const mimeType = members.text('mime_type', MAX_NAME) ?? ''
      const upload = await artifactUploads.begin(task, members.text('name', MAX_NAME + 1), {
        mimeType: ZIP_TYPES.has(mimeType) ? '' : requireMimeType(mimeType),
        expiresAt: readTime(members.text('expires_at', MAX_ID)),
      })
      const query = `${signedQuery(uploadLinks, String(upload.id))}&artifactID=${upload.id}`
      return { ok: true, signedUploadUrl: `${base}/UploadArtifact?${query}` }
    },
    async FinalizeArtifact({ task, members }) {
      const hash = /^sha256:([0-9a-f]{64})$/.exec(members.text('hash', MAX_NAME) ?? '')?.[1]
      const artifact = await artifactUploads.finish(task, requireName(members), { size: members.integer('size'), hash })
      return { ok: true, artifactId: String(artifact.id) }
    },
    async ListArtifacts({ task, members }) {
      const filter = { name: members.text('name_filter', MAX_NAME), id: members.integer('id_filter') }
      const found = await artifactUploads.list(task, filter)
      return { artifacts: found.map((artifact) => present(artifact, task)) }
    },
    async GetSignedArtifactURL({ task, members, base }) {
      const { id } = await artifactUploads.get(task, requireName(members))
      const query = `${signedQuery(downloadLinks, `${task.repoId} ${id}`)}&repoID=${task.repoId}&artifactID=${id}`
      return { signedUrl: `${base}/DownloadArtifact?${query}` }
    },
    async DeleteArtifact({ task, members }) {
      const { id } = await artifactUploads.delete(task, requireName(members))
      return { ok: true, artifactId: String(id) }
    },
  }
}

const present = ({ id, name, size, digest, createdAt }: Artifact, { runId, jobId }: RunningTask): object => ({
  workflowRunBackendId: String(runId),
  workflowJobRunBackendId: String(jobId),
  databaseId: String(id),
  name,
  size: String(size),
  createdAt: wireTime(createdAt),
  digest: `sha256:${digest}`,
})

async function upload(deps: ArtifactRouteDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const query = queryOf(request)
  const id = query.get('artifactID') ?? ''
  requireLink(deps.uploadLinks, id, query)
  await receivePart(deps.uploads, await deps.uploads.get(Number(id)), request, reply)
}

async function download(deps: ArtifactRouteDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const query = queryOf(request)
  const [repoId, id] = [query.get('repoID') ?? '', query.get('artifactID') ?? '']
  requireLink(deps.downloadLinks, `${repoId} ${id}`, query)
  const artifact = await deps.artifacts.getDownloadable(asId(Number(repoId)), Number(id))
  await sendStored(deps.stored, { ...artifact, ...fileOf(artifact), etag: artifact.digest }, request, reply)
}

function requireName(members: Members): string {
  const name = members.text('name', MAX_NAME)
  if (name === undefined || name === '') throw errors.artifactNameRequired()
  return name
}

function requireRunOf({ runId }: RunningTask, members: Members): void {
  if (members.text('workflow_run_backend_id', MAX_ID) !== String(runId)) throw errors.runIdMismatch()
}

function requireMimeType(type: string): string {
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type)) throw badRequest('[mime_type]: a media type')
  return type
}

function readTime(text: string | undefined): number {
  if (text === undefined) return 0
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw badRequest('[expires_at]: a time')
  return time
}
