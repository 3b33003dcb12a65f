;; Works on bitsets in one memory, 32 bytes at a time. Addresses and lengths are in bytes; lengths are
;; multiples of 32. "npm run reference" assembles this file into bit-kernel-bytes.ts. It counts 64 bits with
;; one instruction, which is faster than 16-byte vectors.
(module
  (import "bits" "memory" (memory 1 65536 shared))

  ;; Clears $bits.
  (func (export "clear") (param $bits i32) (param $length i32)
    (memory.fill (local.get $bits) (i32.const 0) (local.get $length)))

  ;; Stores the common members of $a and $b in $to, which may be one of the two, and returns their number.
  (func (export "intersect")
    (param $to i32) (param $a i32) (param $b i32) (param $length i32) (result i32)
    (local $end i32) (local $0 i64) (local $1 i64) (local $2 i64) (local $3 i64) (local $count i64)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (local.set $0 (i64.and (i64.load (local.get $a)) (i64.load (local.get $b))))
        (local.set $1 (i64.and (i64.load offset=8 (local.get $a)) (i64.load offset=8 (local.get $b))))
        (local.set $2 (i64.and (i64.load offset=16 (local.get $a)) (i64.load offset=16 (local.get $b))))
        (local.set $3 (i64.and (i64.load offset=24 (local.get $a)) (i64.load offset=24 (local.get $b))))
        (i64.store (local.get $to) (local.get $0))
        (i64.store offset=8 (local.get $to) (local.get $1))
        (i64.store offset=16 (local.get $to) (local.get $2))
        (i64.store offset=24 (local.get $to) (local.get $3))
        (local.set $count
          (i64.add
            (local.get $count)
            (i64.add
              (i64.add (i64.popcnt (local.get $0)) (i64.popcnt (local.get $1)))
              (i64.add (i64.popcnt (local.get $2)) (i64.popcnt (local.get $3))))))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (local.set $b (i32.add (local.get $b) (i32.const 32)))
        (br $next)))
    (i32.wrap_i64 (local.get $count)))

  ;; Stores the common members of three bitsets in $to, and returns their number.
  (func (export "intersectThree")
    (param $to i32) (param $a i32) (param $b i32) (param $c i32) (param $length i32) (result i32)
    (local $end i32) (local $0 i64) (local $1 i64) (local $2 i64) (local $3 i64) (local $count i64)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (local.set $0
          (i64.and
            (i64.and (i64.load (local.get $a)) (i64.load (local.get $b)))
            (i64.load (local.get $c))))
        (local.set $1
          (i64.and
            (i64.and (i64.load offset=8 (local.get $a)) (i64.load offset=8 (local.get $b)))
            (i64.load offset=8 (local.get $c))))
        (local.set $2
          (i64.and
            (i64.and (i64.load offset=16 (local.get $a)) (i64.load offset=16 (local.get $b)))
            (i64.load offset=16 (local.get $c))))
        (local.set $3
          (i64.and
            (i64.and (i64.load offset=24 (local.get $a)) (i64.load offset=24 (local.get $b)))
            (i64.load offset=24 (local.get $c))))
        (i64.store (local.get $to) (local.get $0))
        (i64.store offset=8 (local.get $to) (local.get $1))
        (i64.store offset=16 (local.get $to) (local.get $2))
        (i64.store offset=24 (local.get $to) (local.get $3))
        (local.set $count
          (i64.add
            (local.get $count)
            (i64.add
              (i64.add (i64.popcnt (local.get $0)) (i64.popcnt (local.get $1)))
              (i64.add (i64.popcnt (local.get $2)) (i64.popcnt (local.get $3))))))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (local.set $b (i32.add (local.get $b) (i32.const 32)))
        (local.set $c (i32.add (local.get $c) (i32.const 32)))
        (br $next)))
    (i32.wrap_i64 (local.get $count)))

  ;; Keeps the members of $to that are in $a, $b or $c, and returns their number.
  (func (export "keepAny")
    (param $to i32) (param $a i32) (param $b i32) (param $c i32) (param $length i32) (result i32)
    (local $end i32) (local $0 i64) (local $1 i64) (local $2 i64) (local $3 i64) (local $count i64)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (local.set $0
          (i64.and
            (i64.load (local.get $to))
            (i64.or
              (i64.or (i64.load (local.get $a)) (i64.load (local.get $b)))
              (i64.load (local.get $c)))))
        (local.set $1
          (i64.and
            (i64.load offset=8 (local.get $to))
            (i64.or
              (i64.or (i64.load offset=8 (local.get $a)) (i64.load offset=8 (local.get $b)))
              (i64.load offset=8 (local.get $c)))))
        (local.set $2
          (i64.and
            (i64.load offset=16 (local.get $to))
            (i64.or
              (i64.or (i64.load offset=16 (local.get $a)) (i64.load offset=16 (local.get $b)))
              (i64.load offset=16 (local.get $c)))))
        (local.set $3
          (i64.and
            (i64.load offset=24 (local.get $to))
            (i64.or
              (i64.or (i64.load offset=24 (local.get $a)) (i64.load offset=24 (local.get $b)))
              (i64.load offset=24 (local.get $c)))))
        (i64.store (local.get $to) (local.get $0))
        (i64.store offset=8 (local.get $to) (local.get $1))
        (i64.store offset=16 (local.get $to) (local.get $2))
        (i64.store offset=24 (local.get $to) (local.get $3))
        (local.set $count
          (i64.add
            (local.get $count)
            (i64.add
              (i64.add (i64.popcnt (local.get $0)) (i64.popcnt (local.get $1)))
              (i64.add (i64.popcnt (local.get $2)) (i64.popcnt (local.get $3))))))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (local.set $b (i32.add (local.get $b) (i32.const 32)))
        (local.set $c (i32.add (local.get $c) (i32.const 32)))
        (br $next)))
    (i32.wrap_i64 (local.get $count)))

  ;; The number of common members of $a and $b.
  (func (export "countCommon")
    (param $a i32) (param $b i32) (param $length i32) (result i32)
    (local $end i32) (local $count i64)
    (local.set $end (i32.add (local.get $a) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
        (local.set $count
          (i64.add
            (local.get $count)
            (i64.add
              (i64.add
                (i64.popcnt (i64.and (i64.load (local.get $a)) (i64.load (local.get $b))))
                (i64.popcnt
                  (i64.and (i64.load offset=8 (local.get $a)) (i64.load offset=8 (local.get $b)))))
              (i64.add
                (i64.popcnt
                  (i64.and (i64.load offset=16 (local.get $a)) (i64.load offset=16 (local.get $b))))
                (i64.popcnt
                  (i64.and (i64.load offset=24 (local.get $a)) (i64.load offset=24 (local.get $b))))))))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (local.set $b (i32.add (local.get $b) (i32.const 32)))
        (br $next)))
    (i32.wrap_i64 (local.get $count)))

  ;; Adds the members of $a to $to.
  (func (export "unite") (param $to i32) (param $a i32) (param $length i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (i64.store
          (local.get $to)
          (i64.or (i64.load (local.get $to)) (i64.load (local.get $a))))
        (i64.store offset=8
          (local.get $to)
          (i64.or (i64.load offset=8 (local.get $to)) (i64.load offset=8 (local.get $a))))
        (i64.store offset=16
          (local.get $to)
          (i64.or (i64.load offset=16 (local.get $to)) (i64.load offset=16 (local.get $a))))
        (i64.store offset=24
          (local.get $to)
          (i64.or (i64.load offset=24 (local.get $to)) (i64.load offset=24 (local.get $a))))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (br $next))))

  ;; Removes the members of $a from $to.
  (func (export "exclude") (param $to i32) (param $a i32) (param $length i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (i64.store
          (local.get $to)
          (i64.and (i64.load (local.get $to)) (i64.xor (i64.load (local.get $a)) (i64.const -1))))
        (i64.store offset=8
          (local.get $to)
          (i64.and (i64.load offset=8 (local.get $to)) (i64.xor (i64.load offset=8 (local.get $a)) (i64.const -1))))
        (i64.store offset=16
          (local.get $to)
          (i64.and (i64.load offset=16 (local.get $to)) (i64.xor (i64.load offset=16 (local.get $a)) (i64.const -1))))
        (i64.store offset=24
          (local.get $to)
          (i64.and (i64.load offset=24 (local.get $to)) (i64.xor (i64.load offset=24 (local.get $a)) (i64.const -1))))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (br $next)))))
