-- A request with a body is what these variables say.
if os.getenv('BENCH_METHOD') then
  wrk.method = os.getenv('BENCH_METHOD')
  wrk.body = os.getenv('BENCH_BODY')
end

-- Called by wrk once its load is over: one line of JSON; times in microseconds.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\n{"duration":%d,"requests":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    summary.duration,
    summary.requests,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50),
    latency:percentile(99)
  ))
end
