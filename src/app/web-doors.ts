import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/index.ts'
import type { Authenticate } from '../domain/access/index.ts'
import type { Code } from '../domain/code/index.ts'
import type { Repos } from '../domain/repos/index.ts'
import type { Site } from '../present/site.ts'
import { registerArchives } from '../transport/archives/archives.routes.ts'
import { createWebDoor } from '../transport/web/door.ts'
import { openUserFiles, type UserFilesDoor } from './user-files.ts'

export interface WebDoorsDeps extends UserFilesDoor {
  readonly config: Config
  readonly authenticate: Authenticate
  readonly code: Code
  readonly repos: Repos
  readonly site: Site
}

/** The addresses outside of the API that answers of the API point to. */
export function openWebDoors(http: FastifyInstance, core: WebDoorsDeps): void {
  const { config, authenticate, repos, ...deps } = core
  const door = createWebDoor({ authenticate, repos, requireSignIn: config.service.require_signin_view })
  registerArchives(http, { ...deps, door })
  openUserFiles(http, core)
}
