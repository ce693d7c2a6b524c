import type { Attack } from './attack.ts'
import { BODY_ATTACKS } from './bodies.ts'
import { DATABASE_ATTACKS } from './database.ts'
import { MARKUP_ATTACKS } from './markup.ts'
import { REPOSITORY_ATTACKS } from './repository.ts'

/** Add an attack to the list of its module, or a new list here. */
export const ATTACKS: readonly Attack[] = [
  ...BODY_ATTACKS,
  ...MARKUP_ATTACKS,
  ...REPOSITORY_ATTACKS,
  ...DATABASE_ATTACKS,
]
