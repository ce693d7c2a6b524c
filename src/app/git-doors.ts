import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import {
  type BundleUrl,
  createReceivePack,
  createUploadPack,
  type Git,
  PackCache,
  type ReceivePack,
  type UploadArchiveOptions,
  type UploadPack,
} from '../git/index.ts'
import { addCorsHeaders, answerPreflight, isPreflight } from '../http/cors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { registerGitHttp } from '../subjects/git-http/git-http.routes.ts'
import { createPushes, type Pushes } from '../subjects/pushes/accept-push.ts'
import type { AgitProposals } from '../subjects/pushes/agit.ts'
import type { DiskQuota } from '../subjects/quota/disk-quota.ts'
import type { RepoChanges } from '../subjects/repos/repo-changes.service.ts'
import type { Repo } from '../subjects/repos/repo.store.ts'
import type { Repos } from '../subjects/repos/repos.service.ts'
import type { Authenticate } from '../subjects/sign-in/authenticate.ts'
import type { CommitSigner } from '../subjects/signing/signing.ts'
import type { Users } from '../subjects/users/users.service.ts'
import { createVerifier } from '../subjects/verification/verifier.ts'
import type { Wikis } from '../subjects/wiki/wikis.service.ts'
import { corsSettings } from './cors.ts'

export interface GitDoorsDeps {
  readonly signer: CommitSigner | undefined
  readonly config: Config
  readonly git: Git
  readonly quota: DiskQuota
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly dataDir: string
  readonly version: string
  /** This process alone has the data directory: caches are its own. */
  readonly isServer: boolean
  readonly repoChanges: RepoChanges
  /** Whoever keeps pull requests. */
  readonly proposals?: AgitProposals | undefined
  rootUrl(): string
}

/** What every git transport serves from. */
export interface GitDoors {
  readonly uploadPack: UploadPack
  readonly receivePack: ReceivePack
  readonly uploadArchive: UploadArchiveOptions
  readonly pushes: Pushes
  /** Bytes of one push. */
  readonly maxPackBytes: number
  readonly archiveCache: PackCache | undefined
  /** Bytes of packs from which a repository has a bundle; Infinity where none has. */
  readonly bundleMinBytes: number
  /** Where the bundle of a repository is; undefined where bundles are off. */
  readonly bundleUrl: ((repo: Repo) => BundleUrl) | undefined
  /** The same for clients that will ask without credentials. */
  readonly openBundleUrl: ((repo: Repo) => BundleUrl | undefined) | undefined
}

const HOUR_MS = 3_600_000
const CACHE_AGE_MS = 6 * HOUR_MS
/** Archives of a commit never change. */
const ARCHIVE_AGE_MS = 30 * 24 * HOUR_MS
const TRANSFER_MS = 12 * HOUR_MS

/** Internal refs are nobody's business; pull refs are read by all and written by the server alone. */
const INTERNAL = ['refs/ingot/']
const RESERVED = [...INTERNAL, 'refs/pull/']

export async function createGitDoors(deps: GitDoorsDeps): Promise<GitDoors> {
  const { config, clock, log, isServer } = deps
  const {
    max_processes: processes,
    max_push_size: maxPush,
    pack_cache_size: maxBytes,
    archive_cache_size: archiveBytes,
    timeout,
  } = config.git
  const common = {
    agent: `git/${deps.git.version}-ingot-${deps.version.replace(/\+.*/, '')}`,
    idleMs: timeout * 1000,
    deadlineMs: TRANSFER_MS,
  }
  const verifier = createVerifier({
    database: deps.database,
    clock,
    noReplyDomain: config.service.no_reply_address,
    serverKey: deps.signer,
  })
  const perRepo = Math.max(1, Math.ceil(processes / 2))
  const cache =
    isServer && maxBytes > 0
      ? await PackCache.open({ dir: join(deps.dataDir, 'cache', 'packs'), maxBytes, maxAgeMs: CACHE_AGE_MS, clock })
      : undefined
  const archiveCache =
    isServer && archiveBytes > 0
      ? await PackCache.open({
          dir: join(deps.dataDir, 'cache', 'archives'),
          maxBytes: archiveBytes,
          maxAgeMs: ARCHIVE_AGE_MS,
          clock,
        })
      : undefined
  return {
    ...createBundleUrls(deps),
    archiveCache,
    uploadPack: createUploadPack({
      ...common,
      hiddenRefs: INTERNAL,
      maxFetches: processes,
      maxFetchesPerRepo: perRepo,
      ...(cache && { cache }),
    }),
    receivePack: createReceivePack({
      ...common,
      reservedRefs: RESERVED,
      maxPushes: processes,
      maxPushesPerRepo: perRepo,
      onError: (error) => log.error({ err: error }, 'push failed'),
    }),
    uploadArchive: { idleMs: common.idleMs, deadlineMs: TRANSFER_MS },
    pushes: createPushes({
      database: deps.database,
      git: deps.git,
      quota: deps.quota,
      clock,
      log,
      proposals: deps.proposals,
      verifier,
      givesHints: config.git.pull_request_push_message,
      rootUrl: deps.rootUrl,
      editRepo: deps.repoChanges.edit,
    }),
    maxPackBytes: maxPush > 0 ? maxPush : Number.MAX_SAFE_INTEGER,
  }
}

function createBundleUrls({
  config,
  git,
  rootUrl,
}: GitDoorsDeps): Pick<GitDoors, 'bundleUrl' | 'bundleMinBytes' | 'openBundleUrl'> {
  if (!config.git.bundle_uri || config.repository.disable_http_git)
    return { bundleUrl: undefined, bundleMinBytes: Number.POSITIVE_INFINITY, openBundleUrl: undefined }
  const bundleUrl =
    (repo: Repo): BundleUrl =>
    async () => {
      const bundle = await git.openBundle(repo.storage)
      await bundle?.file.close()
      return bundle && `${rootUrl()}/${repo.fullName}.git/clone.bundle`
    }
  const isOpen = (repo: Repo): boolean =>
    !repo.isPrivate && repo.owner.visibility === 'public' && !config.service.require_signin_view
  return {
    bundleUrl,
    bundleMinBytes: config.git.bundle_uri_min_size,
    openBundleUrl: (repo) => (isOpen(repo) ? bundleUrl(repo) : undefined),
  }
}

/** What git clients in browsers send beside what any page may (reference git-data-and-transport §11). */
const CLIENT_HEADERS = ['content-type', 'git-protocol', 'user-agent']
const CORS_PATHS = [
  'info/refs',
  'git-upload-pack',
  'git-receive-pack',
  'git-upload-archive',
  'clone.bundle',
  'HEAD',
  'objects/*',
].map((path) => `/:owner/:repo/${path}`)

export interface GitHttpDoor {
  readonly config: Config
  readonly git: Git
  readonly log: Logger
  readonly repos: Repos
  readonly users: Users
  readonly wikis: Wikis
  readonly doors: GitDoors
  readonly authenticate: Authenticate
}

export function openGitHttp(http: FastifyInstance, { config, doors, ...rest }: GitHttpDoor): void {
  const settings = {
    disabled: config.repository.disable_http_git,
    // COMPAT: credential managers offer OAuth2 where they know the first of these (reference auth-and-access §2).
    realm: config.git.http_realm || (config.oauth2.enabled ? 'Gitea' : 'Gitea (Basic Auth)'),
    allowOrigin: config.git.access_control_allow_origin,
    requireSignIn: config.service.require_signin_view,
  }
  const cors = corsSettings(config)
  if (cors === undefined) return registerGitHttp(http, { ...rest, ...doors, settings })
  const allowed = { ...cors, headers: [...cors.headers, ...CLIENT_HEADERS] }
  void http.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      if (!isPreflight(request)) addCorsHeaders(allowed, request, reply)
    })
    registerGitHttp(scope, { ...rest, ...doors, settings })
    for (const path of CORS_PATHS) {
      scope.options(path, async (request, reply) =>
        isPreflight(request) ? answerPreflight(allowed, request, reply) : reply.code(200).send(),
      )
    }
  })
}
