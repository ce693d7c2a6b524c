import { Type } from '@sinclair/typebox'
import { defineJob, type JobDefinitions, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import type { Avatars } from './avatars.service.ts'

const avatarJobPayloads = {
  /** Deletes images that no account or repository refers to. */
  'avatars.sweep': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof avatarJobPayloads> {}
}

export function createAvatarJobs(avatars: Avatars): JobDefinitions {
  return { 'avatars.sweep': defineJob(avatarJobPayloads['avatars.sweep'], (_, signal) => avatars.sweep(signal)) }
}
