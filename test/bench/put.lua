-- For wrk: sends files of 4 KiB with PUT, one after another into each of the buckets at its paths.
local paths, sent, run

function init(args)
  paths = args
  sent = 0
  run = tostring(os.time()) .. tostring({}):gsub('%W', '')
  wrk.method = 'PUT'
  wrk.body = string.rep('x', 4096)
  wrk.headers['Content-Type'] = 'application/octet-stream'
end

function request()
  sent = sent + 1
  return wrk.format(nil, paths[sent % #paths + 1] .. '/' .. run .. sent)
end
