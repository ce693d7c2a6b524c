import type { Static } from '@sinclair/typebox'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Secret as SecretModel } from './secret.model.ts'
import type { Secret } from './secret.store.ts'

export const presentSecret = ({ name, description, createdAt }: Secret): Static<typeof SecretModel> => ({
  name,
  description,
  created_at: wireTime(createdAt),
})
