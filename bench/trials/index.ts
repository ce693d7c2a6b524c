import type { Trial } from '../figure.ts'
import { boards } from './boards.ts'
import { clonesAtOnce } from './clones-at-once.ts'
import { clones } from './clones.ts'
import { codeSearch } from './code-search.ts'
import { coldAfterPush, coldDirectory } from './cold-directory.ts'
import { creation } from './creation.ts'
import { forks } from './forks.ts'
import { issueWriters } from './issue-writers.ts'
import { lsRemote } from './ls-remote.ts'
import { manyPulls } from './many-pulls.ts'
import { memory } from './memory.ts'
import { mix } from './mix.ts'
import { packages } from './packages.ts'
import { pullProcesses } from './pull-processes.ts'
import { pulls } from './pulls.ts'
import { pushProcesses } from './push-processes.ts'
import { pushesAtOnce } from './pushes-at-once.ts'
import { pushes } from './pushes.ts'
import { runners } from './runners.ts'
import { starts } from './starts.ts'
import { webhooks } from './webhooks.ts'

/** Before any endpoint is asked. */
export const FIRST_TRIALS: readonly Trial[] = [mix, coldDirectory]
/** Reading before writing, since the server has work in the background after a push. */
export const TRIALS: readonly Trial[] = [
  lsRemote,
  clones,
  clonesAtOnce,
  forks,
  pushes,
  pushesAtOnce,
  coldAfterPush,
  webhooks,
  runners,
  packages,
  boards,
  codeSearch,
  issueWriters,
  pulls,
  manyPulls,
]
/** After the load that makes repositories; the last ones end the server. */
export const LAST_TRIALS: readonly Trial[] = [creation, memory, pushProcesses, pullProcesses, starts]
