import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/index.ts'
import type { Authenticate } from '../domain/access/index.ts'
import type { Attachments } from '../domain/attachments/index.ts'
import type { Avatars } from '../domain/avatars/index.ts'
import type { Code, Media } from '../domain/code/index.ts'
import type { Releases } from '../domain/releases/index.ts'
import type { Repos } from '../domain/repos/index.ts'
import type { Site } from '../present/site.ts'
import { registerArchives } from '../transport/archives/archives.routes.ts'
import { registerAttachments } from '../transport/attachments/attachments.routes.ts'
import { registerAvatars } from '../transport/avatars/avatars.routes.ts'
import { registerGoGet } from '../transport/go-get/go-get.routes.ts'
import { registerRaw } from '../transport/raw/raw.routes.ts'
import { createWebDoor } from '../transport/web/door.ts'
import { openUserFiles, type UserFilesDoor } from './user-files.ts'

export interface WebDoorsDeps extends UserFilesDoor {
  readonly config: Config
  readonly authenticate: Authenticate
  readonly attachments: Attachments
  readonly avatars: Avatars
  readonly code: Code
  readonly media: Media
  readonly releases: Releases
  readonly repos: Repos
  readonly site: Site
}

/** The addresses outside of the API that answers of the API point to. */
export function openWebDoors(http: FastifyInstance, core: WebDoorsDeps): void {
  const { config, authenticate, repos, ...deps } = core
  const door = createWebDoor({ authenticate, repos, requireSignIn: config.service.require_signin_view })
  registerArchives(http, { ...deps, door })
  registerAttachments(http, { ...deps, door, repos })
  registerAvatars(http, core.avatars)
  registerRaw(http, { ...deps, door })
  openUserFiles(http, door, core)
  registerGoGet(http, { repos, defaultBranch: config.repository.default_branch, cloneBy: config.repository.go_get_clone_url_protocol, site: core.site })
}
