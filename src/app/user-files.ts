import type { FastifyInstance } from 'fastify'
import type { Site } from '../present/site.ts'
import { avatarUrl } from '../present/user.present.ts'
import { registerUserFiles, type UserFileDeps } from '../transport/user-files/index.ts'
import type { WebDoor } from '../transport/web/door.ts'

export interface UserFilesDoor extends Omit<UserFileDeps, 'avatarUrl' | 'door'> {
  readonly site: Site
}

export function openUserFiles(http: FastifyInstance, door: WebDoor, { gpgKeys, site, sshKeys, users }: UserFilesDoor): void {
  registerUserFiles(http, { door, gpgKeys, sshKeys, users, avatarUrl: (user) => avatarUrl(user, site) })
}
