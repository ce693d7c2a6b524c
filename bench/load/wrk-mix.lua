-- Sends GET requests to random addresses with random tokens, both one per line in the environment.
local function lines(name)
  local found = {}
  for line in os.getenv(name):gmatch('[^\n]+') do found[#found + 1] = line end
  return found
end

local paths, tokens = lines('BENCH_PATHS'), lines('BENCH_TOKENS')
math.randomseed(7)

function request()
  local headers = { Authorization = 'token ' .. tokens[math.random(#tokens)] }
  return wrk.format('GET', paths[math.random(#paths)], headers)
end

dofile(os.getenv('BENCH_REPORT'))
