; What a module of kernels has beside them, in the words of LLVM: for its caller where free memory
; begins, more of it, and zeros; for Numba's code what that asks of its runtime, memory that is
; counted. Free memory is a stack: what is given back is free again if nothing was taken after it,
; and all is once the caller has its answer.

; Numba's own structure: count, destructor, what that is told, data, size.
%info = type { i64, ptr, ptr, ptr, i64 }
@__heap_base = external global i8
@top = global ptr null

declare i32 @llvm.wasm.memory.size.i32(i32)
declare i32 @llvm.wasm.memory.grow.i32(i32, i32)
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define i32 @heap(ptr %none, ptr %nothing) {
  ret i32 ptrtoint (ptr @__heap_base to i32)
}

define i32 @zero(ptr %from, ptr %to) {
  %first = ptrtoint ptr %from to i32
  %end = ptrtoint ptr %to to i32
  %size = sub i32 %end, %first
  call void @llvm.memset.p0.i32(ptr %from, i8 0, i32 %size, i1 false)
  ret i32 0
}

; Return 0 if there is memory up to an address, else -1.
define i32 @reserve(ptr %none, ptr %to) {
  %end = ptrtoint ptr %to to i32
  %last = sub i32 %end, 1
  %at = lshr i32 %last, 16
  %have = call i32 @llvm.wasm.memory.size.i32(i32 0)
  %missing = icmp uge i32 %at, %have
  br i1 %missing, label %more, label %enough
more:
  %next = add i32 %at, 1
  %pages = sub i32 %next, %have
  %before = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %pages)
  %none.left = icmp eq i32 %before, -1
  %answer = select i1 %none.left, i32 -1, i32 0
  ret i32 %answer
enough:
  ret i32 0
}

define internal ptr @take(i64 %size) {
  %top = load ptr, ptr @top
  %begin = ptrtoint ptr %top to i64
  %up = add i64 %begin, 15
  %first = and i64 %up, -16
  %end = add i64 %first, %size
  %far = icmp ugt i64 %end, 4294901760
  br i1 %far, label %refuse, label %ask
ask:
  %to = inttoptr i64 %end to ptr
  %refused = call i32 @reserve(ptr null, ptr %to)
  %bad = icmp ne i32 %refused, 0
  br i1 %bad, label %refuse, label %give
give:
  store ptr %to, ptr @top
  %found = inttoptr i64 %first to ptr
  ret ptr %found
refuse:
  ret ptr null
}

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %whole = add i64 %size, 32
  %info = call ptr @take(i64 %whole)
  %bad = icmp eq ptr %info, null
  br i1 %bad, label %refuse, label %give
give:
  %data = getelementptr i8, ptr %info, i32 32
  store i64 1, ptr %info
  %at.data = getelementptr %info, ptr %info, i32 0, i32 3
  store ptr %data, ptr %at.data
  %at.size = getelementptr %info, ptr %info, i32 0, i32 4
  store i64 %size, ptr %at.size
  br label %refuse
refuse:
  ret ptr %info
}

define ptr @NRT_MemInfo_new_varsize_dtor(i64 %size, ptr %destructor) {
  %info = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 16)
  ret ptr %info
}

define ptr @NRT_MemInfo_varsize_realloc(ptr %info, i64 %size) {
  %data = call ptr @take(i64 %size)
  %bad = icmp eq ptr %data, null
  br i1 %bad, label %refuse, label %give
give:
  %at.data = getelementptr %info, ptr %info, i32 0, i32 3
  %at.size = getelementptr %info, ptr %info, i32 0, i32 4
  %old = load ptr, ptr %at.data
  %had = load i64, ptr %at.size
  %less = call i64 @llvm.umin.i64(i64 %had, i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr %data, ptr %old, i64 %less, i1 false)
  store ptr %data, ptr %at.data
  store i64 %size, ptr %at.size
  br label %refuse
refuse:
  ret ptr %data
}

declare i64 @llvm.umin.i64(i64, i64)

; In place of Numba's own, which are for several threads and are never inlined: here it is seen
; that most arrays have no owner, and nothing is left to count.
define void @NRT_incref(ptr %info) alwaysinline {
  %none = icmp eq ptr %info, null
  br i1 %none, label %done, label %count
count:
  %had = load i64, ptr %info
  %has = add i64 %had, 1
  store i64 %has, ptr %info
  br label %done
done:
  ret void
}

define void @NRT_decref(ptr %info) alwaysinline {
  %none = icmp eq ptr %info, null
  br i1 %none, label %done, label %count
count:
  %had = load i64, ptr %info
  %has = sub i64 %had, 1
  store i64 %has, ptr %info
  %last = icmp eq i64 %has, 0
  br i1 %last, label %free, label %done
free:
  call void @NRT_MemInfo_call_dtor(ptr %info)
  br label %done
done:
  ret void
}

define void @NRT_MemInfo_call_dtor(ptr %info) {
  %at.data = getelementptr %info, ptr %info, i32 0, i32 3
  %at.size = getelementptr %info, ptr %info, i32 0, i32 4
  %data = load ptr, ptr %at.data
  %size = load i64, ptr %at.size
  %few = trunc i64 %size to i32
  %end = getelementptr i8, ptr %data, i32 %few
  %top = load ptr, ptr @top
  %last = icmp eq ptr %end, %top
  br i1 %last, label %free, label %done
free:
  %next = getelementptr i8, ptr %info, i32 32
  %whole = icmp eq ptr %next, %data
  %to = select i1 %whole, ptr %info, ptr %data
  store ptr %to, ptr @top
  br label %done
done:
  ret void
}

; A product of 128 bits, which tells whether one of 64 overflows: LLVM has it called by this name.
define void @__multi3(ptr %out, i64 %a, i64 %a.high, i64 %b, i64 %b.high) {
  %a0 = and i64 %a, 4294967295
  %a1 = lshr i64 %a, 32
  %b0 = and i64 %b, 4294967295
  %b1 = lshr i64 %b, 32
  %p00 = mul i64 %a0, %b0
  %p01 = mul i64 %a0, %b1
  %p10 = mul i64 %a1, %b0
  %p11 = mul i64 %a1, %b1
  %low = and i64 %p00, 4294967295
  %carried = lshr i64 %p00, 32
  %p01.low = and i64 %p01, 4294967295
  %p10.low = and i64 %p10, 4294967295
  %p01.high = lshr i64 %p01, 32
  %p10.high = lshr i64 %p10, 32
  %m0 = add i64 %carried, %p01.low
  %middle = add i64 %m0, %p10.low
  %shifted = shl i64 %middle, 32
  %first = or i64 %low, %shifted
  %above = lshr i64 %middle, 32
  %h0 = add i64 %p11, %above
  %h1 = add i64 %h0, %p01.high
  %h2 = add i64 %h1, %p10.high
  %c0 = mul i64 %a, %b.high
  %c1 = mul i64 %a.high, %b
  %h3 = add i64 %h2, %c0
  %second = add i64 %h3, %c1
  store i64 %first, ptr %out
  %next = getelementptr i64, ptr %out, i32 1
  store i64 %second, ptr %next
  ret void
}
