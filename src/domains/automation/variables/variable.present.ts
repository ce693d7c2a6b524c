import type { Static } from '@sinclair/typebox'
import type { ActionVariable } from './variable.model.ts'
import type { Variable } from './variable.store.ts'

export const presentVariable = ({ owner, name, value, description }: Variable): Static<typeof ActionVariable> => ({
  owner_id: 'ownerId' in owner ? owner.ownerId : 0,
  repo_id: 'repoId' in owner ? owner.repoId : 0,
  name,
  data: value,
  description,
})
