-- Sends the requests of a file, each ended by an empty line, in turn, and begins again after the last one. Prints one
-- JSON line at the end. Arguments: the file, and the number of the first request, from 1.
local requests, at = {}, 1

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  for request in file:read("*a"):gmatch("(.-\r\n\r\n)") do requests[#requests + 1] = request end
  file:close()
  at = tonumber(arguments[2])
end

function request()
  local next = requests[at]
  at = at % #requests + 1
  return next
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%f,"failures":%d,"p50":%f,"p99":%f}\n',
    summary.requests, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
